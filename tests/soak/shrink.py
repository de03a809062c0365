# SPDX-License-Identifier: GPL-2.0-or-later
"""Delta debugging: a shorter plan that breaks a rule that the whole plan broke."""
import time


def shrink(plan, rules, run, seconds, clock=time.monotonic):
    """Leaves out ever smaller parts of the plan's actions as long as `run(plan, number)` still finds one of `rules`,
    and begins no run after `seconds`. The shortest plan that failed; at worst the whole one."""
    end, actions, parts, number = clock() + seconds, list(plan.actions), 2, 0
    while len(actions) > 1 and parts <= len(actions):
        size, smaller = -(-len(actions) // parts), None
        for first in range(0, len(actions), size):
            if clock() >= end:
                return plan.with_actions(actions)
            candidate = actions[:first] + actions[first + size:]
            number += 1
            if candidate and rules & {finding.rule for finding in run(plan.with_actions(candidate), number)}:
                smaller = candidate
                break
        if smaller is not None:
            actions, parts = smaller, max(2, parts - 1)
        elif parts == len(actions):
            break
        else:
            parts = min(len(actions), 2 * parts)
    return plan.with_actions(actions)
