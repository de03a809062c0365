// SPDX-License-Identifier: GPL-2.0-or-later
// Why a policy decided as it did, as plain values. Policies state reasons only while a host asks for them
// (Engine::explain); they never read them, so that explaining changes no decision. record/story turns them into words.
#pragma once

#include <cstdint>

#include "policy/core/units.h"

namespace dfrs {

enum class ReasonKind : std::uint8_t {
  // Why a job starts, or continues after a pause.
  room,         ///< there is room for it
  made_room,    ///< others gave way, `limit` of them; `other`: the last, `value`: its urgency, 0 if the rule has none
  own_room,     ///< the same although there was room: `value`: the share of its CPU need that it would have got there
  first,        ///< batch: the first in the queue, and its nodes are free
  backfill,     ///< batch: it does not delay `other`, the first in the queue, whose nodes are free at `value`
  planned_now,  ///< batch: the time of its planned start has come
  // Why a running job is paused or moved.
  gave_way,    ///< `other` takes its room; `value`: its cost or priority, `limit`: below what it had to be, or infinity
  moved_away,  ///< as gave_way, but it found room elsewhere
  move_pays,   ///< `value`: CPU-seconds that the move is expected to gain, `limit`: the least that makes it worthwhile
  // A repack of all jobs: why it is where it is, or left out.
  repacked,          ///< `value`: the yield for which all were packed
  repacked_stretch,  ///< `value`: the inverse of the largest stretch for which all were packed
  left_out,          ///< `value`: its priority; `limit`: how many jobs were left out
  // Why a job waits, or stays paused.
  no_room,        ///< not enough nodes have room for its tasks
  outweighed,     ///< cheapest to displace is `other`, at a cost of `value`, which is not below `limit`
  none_to_pause,  ///< no job that would have to make room may be paused
  behind,         ///< batch: it would delay `other`, the first in the queue, whose nodes are free at `value`
  reserved,       ///< batch: it is the first in the queue; its nodes are free at `value`
  planned,        ///< batch: its start is planned at `value`
  next_try,       ///< it is tried again at `value`
  next_tick,      ///< it is placed at the next tick, at `value`
};

struct Reason {
  ReasonKind kind = ReasonKind::room;
  JobSlot job = kNoSlot;
  JobSlot other = kNoSlot;
  double value = 0;
  double limit = 0;
};

}  // namespace dfrs
