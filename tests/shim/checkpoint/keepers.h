// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-run, its keeper and the checkpointer together, with a script in place of criu.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

#include "tests/shim/checkpoint/virtual_node.h"

namespace dfrs::shim {

inline constexpr std::uint32_t kJob = 7;
inline constexpr std::chrono::seconds kGoesOn{4};  // 2 s are promised, of a machine that is not busy

class Keepers : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_job_groups()) GTEST_SKIP() << *why;
    if (::access(built_program("dfrs-keeper").c_str(), X_OK) != 0) GTEST_SKIP() << "set DFRS_PROGRAMS";
    criu("exit 1");
    node_ = std::make_unique<VirtualNode>(site_, "a");
    std::filesystem::create_directories(home_);
  }
  // A script that knows $action and $images.
  void criu(const std::string& script) {
    site_.criu = site_.folder.write(
        "criu", "#!/bin/sh\naction=$1\nfor word; do [ \"$last\" = --images-dir ] && images=$word; last=$word; done\n" +
                    script + "\n");
    ::chmod(site_.criu.c_str(), 0755);
  }
  std::string out() const { return file_text(home_ + "/out"); }
  std::string err() const { return file_text(home_ + "/err"); }
  std::string text(const std::string& name) const { return file_text(home_ + "/" + name); }
  // A program that counts as long as it runs, and until there is a file named "end".
  static std::vector<std::string> counter() {
    return {"sh", "-c", "echo $$ > inner; while [ ! -e end ]; do echo x >> count; sleep 0.01; done; exit 5"};
  }
  pid_t start_counter(std::uint32_t restarts = 0) {
    const pid_t run = node_->run(kJob, restarts, home_, counter());
    EXPECT_TRUE(wait_until([&] { return counted() > 2; }));
    return run;
  }
  std::size_t counted() const { return text("count").size(); }
  bool counts_on() const {
    const std::size_t now = counted();
    return wait_until([&] { return counted() > now + 4; }, std::chrono::seconds(2));
  }
  void end() const { site_.folder.write("home/end", ""); }
  // The controller has no order for a run that Slurm ends. One that stayed would dump the next run.
  int end_run(pid_t run) const {
    node_->no_order(kJob);
    return requeue(run);
  }
  bool frozen() {
    return wait_until([&] { return node_->state(kJob) == CheckpointState::kFrozen; });
  }
  // Not one of an earlier test that nobody has waited for.
  static pid_t living_child(const std::string& command) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const int pid = std::atoi(entry.path().filename().c_str());
      const std::string stat = pid > 0 ? file_text(entry.path() / "stat") : std::string();
      std::istringstream words(stat);
      std::string id, name, state;
      pid_t parent = 0;
      if (words >> id >> name >> state >> parent && name == "(" + command + ")" && state != "Z" && parent == ::getpid())
        return pid;
    }
    return 0;
  }
  bool parts_left() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(site_.images, ignored)) {
      if (entry.path().string().ends_with(".part")) return true;
    }
    return false;
  }

  Site site_;
  const std::string home_ = site_.folder / "home";
  std::unique_ptr<VirtualNode> node_;
};

}  // namespace dfrs::shim
