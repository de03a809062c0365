// SPDX-License-Identifier: GPL-2.0-or-later
// Stories in words. The simulator and dfrsctl print the same sentences.
#pragma once

#include <functional>
#include <string>

#include "record/story/story.h"

namespace dfrs::record {

/// How a host names things.
struct StoryNames {
  std::function<std::string(NodeIndex)> node;  ///< such as "n17", or a number
  std::function<std::string(Seconds)> time;    ///< an instant, such as "3600 s" or "2026-11-20 09:30:00"
};

/// What happened, in one sentence that names the job, without the time: "Job 17 is paused: job 23 takes its room ...".
std::string sentence(JobId job, const StoryEvent& event, const Story& story, const StoryNames& names);

/// Where its time went until now: "In all, job 17 waited 40 s to start, ran for 3600 s, was paused 2 times for 90 s and
/// was moved 1 time."
std::string totals_words(JobId job, const Totals& totals, const StoryNames& names);

/// Why a job gets less CPU than it needs: "node n17 has a capacity of 1 and CPU needs of 2, shared with job 4".
std::string crowd_words(const Crowd& crowd, const StoryNames& names);

/// Where there is room for a job of so many tasks, and what is missing elsewhere: "room for 0 of 1 task; of 2 nodes
/// that it may use, 2 have too little memory left for one".
std::string room_words(const FreeRoom& room, std::uint32_t tasks);

/// The reason as a clause: "there is room for it".
std::string clause(const Why& why, const StoryNames& names);

}  // namespace dfrs::record
