// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the built dfrs-sim, or another program of the project, as a user would, and captures its output.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/errors.h"

namespace dfrs::sim {

struct Outcome {
  int exit_code = -1;  ///< -N: ended by signal N
  bool timed_out = false;
  std::string command;  ///< for messages
  std::string out;
  std::string err;
};

struct Surroundings {
  std::string input = {};                     ///< standard input, through a pipe
  std::string output = {};                    ///< file that standard output is opened on; empty: kept in Outcome::out
  bool output_is_closed_pipe = false;         ///< standard output is a pipe that nobody reads
  std::vector<std::string> environment = {};  ///< NAME=value, besides what the test has
  std::string folder = {};                    ///< working directory
  std::string soft_limits = {};               ///< `ulimit` options for the program, such as "-f 8"
  bool ignores_hangup = false;                ///< as below nohup
  std::string program = {};                   ///< another program, built beside dfrs-sim; empty: dfrs-sim
};

/// The program named by the environment variable DFRS_SIM, or ./dfrs-sim.
std::string dfrs_sim_path();

/// Runs dfrs-sim to completion. Kills a run that hangs and fails the test.
Outcome dfrs_sim(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

/// dfrs-sim running in the background, without standard input. The destructor kills it if it still runs.
class BackgroundRun {
 public:
  explicit BackgroundRun(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});
  ~BackgroundRun();
  BackgroundRun(const BackgroundRun&) = delete;
  BackgroundRun& operator=(const BackgroundRun&) = delete;

  void kill();  ///< SIGKILL
  /// Waits for its end. Call this once.
  Outcome finish();

 private:
  struct Process;
  std::unique_ptr<Process> process_;
};

/// Sends the signal once `ready` is true, which it must become while the program runs. Standard input stays open.
Outcome dfrs_sim_interrupted(const std::vector<std::string>& arguments, const std::function<bool()>& ready, int signal,
                             const Surroundings& surroundings = {});

/// `first` | `second`, both dfrs-sim. The outcomes of both.
std::pair<Outcome, Outcome> dfrs_sim_pipe(const std::vector<std::string>& first,
                                          const std::vector<std::string>& second);

/// Its standard output after a success; otherwise the test fails.
std::string output_of(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

/// The same text without what names its origin: the program, the source, the options and the line that repeats it. Of
/// `run`'s text those lines, of CSV the columns from "program" on, of a trace or log those comments.
std::string without_origin(const std::string& text);

/// Expects exit code `code`, nothing on standard output, and a last line "dfrs-sim: ..." on standard error that
/// contains each of `texts`.
void expect_failure(const Outcome& outcome, ExitCode code, std::initializer_list<std::string_view> texts);

}  // namespace dfrs::sim
