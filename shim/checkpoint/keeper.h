// SPDX-License-Identifier: GPL-2.0-or-later
// The process that stands between dfrs-run and its program: starts the program or restores it from an image, dumps it
// when dfrsd says so, and passes signals and the exit code. dfrsd starts one for each dfrs-run and may end before it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/files.h"
#include "shim/checkpoint/caller.h"
#include "shim/checkpoint/dump_place.h"
#include "shim/checkpoint/image_store.h"
#include "shim/checkpoint/keeper_files.h"
#include "shim/checkpoint/keeper_link.h"
#include "shim/checkpoint/launch.h"
#include "shim/checkpoint/packed_image.h"
#include "shim/checkpoint/process_tree.h"

namespace dfrs::shim {

struct KeeperOptions {
  std::string node;
  std::string run_dir;
  std::string cgroup_root;
  std::string cgroup_tree;
  std::string folder;  ///< of images
  std::string key;     ///< file
  StoreLimits limits;
  std::string scratch;  ///< folder of this node where images are before they are compressed; empty: they are not
  std::uint64_t pre_dump_from = 0;  ///< bytes: programs with as much memory are pre-dumped; 0: none
  std::string criu = "criu";
  std::string init;  ///< path of dfrs-init
};

/// For the main thread of a process with no other.
class Keeper {
 public:
  /// client: the connection to dfrs-run.
  Keeper(KeeperOptions options, base::Fd client);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  /// Until the program has ended. What goes wrong is told to dfrs-run.
  void run();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kPollMs = 500;

  tl::expected<void, std::string> admit();
  bool begin();
  enum class Restored { from_image, nothing, refused };
  Restored restore();
  bool start_from_beginning();
  void begin_job_again();
  tl::expected<void, std::string> restore_image(const ImageStore::Found& image, const Manifest& manifest);
  tl::expected<ScratchFolder, std::string> unpack(const ImageStore::Found& image, const Manifest& manifest) const;
  void loop();
  void read_client();
  void read_dfrsd(std::size_t link);
  void obey(const KeeperOrder& order);
  void stop(const KeeperOrder& order);
  void stop_processes();
  bool start_pre_dump(const KeeperOrder& order);
  void finish_pre_dump(int status);
  void dump(const KeeperOrder& order);
  tl::expected<void, std::string> start_dump(const KeeperOrder& order);
  tl::expected<DumpPlace, std::string> make_place(std::uint32_t restarts, std::uint64_t bytes) const;
  tl::expected<pid_t, std::string> start_criu(const std::vector<std::string>& words, const char* log,
                                              const std::function<tl::expected<void, std::string>()>& enter) const;
  void finish_dump(int status);
  tl::expected<void, std::string> start_commit();
  tl::expected<Manifest, std::string> complete_image(Manifest manifest) const;
  void finish_commit(int status);
  void abandon_dump();
  void fail_dump(const std::string& reason);
  void resume();
  void discard_image();
  void fail(const std::string& reason);
  void reap();
  void end_program();
  std::string work_text(const char* name) const;
  std::string criu_log(const char* name) const;
  static double since(Clock::time_point begin);

  const KeeperOptions options_;
  base::Fd client_;
  base::Fd signals_;
  base::Fd listener_;
  std::optional<KeeperFiles> files_;
  std::vector<base::Fd> links_;  // to dfrsd
  std::unique_ptr<ImageStore> store_;
  LaunchParts parts_;
  Caller caller_;
  ProgramId program_;
  std::uint32_t restarts_ = 0;                // this run, as the job's environment says
  tl::expected<void, std::string> dumpable_;  // error: why it can never be dumped here
  std::vector<std::string> streams_;

  pid_t init_ = 0;
  std::optional<int> ended_;  // the program's exit code
  bool gone_ = false;         // dfrs-run is
  KeeperStatus status_;
  Clock::time_point restored_at_{};
  std::set<pid_t> stopped_before_;  // by the user, as inner ids
  bool suspended_ = false;          // Slurm has stopped the job: it stays so
  Hold hold_;

  enum class Work { pre_dump, dump, complete };
  struct Dump {
    pid_t worker = 0;  // criu, or a child that completes the image
    Work work = Work::dump;
    DumpPlace place;
    std::optional<double> pre_dump{};  // s that it took; none: there was none
    std::uint32_t restarts = 0;
    std::uint32_t programs = 0;
    Clock::time_point begun;
    std::optional<Clock::time_point> abandoned{};
    /// So far, with the pre-dump: pages are written in both.
    double seconds() const;
    /// With what the worker has started.
    void kill() const;
  };
  std::optional<Dump> dump_;
  struct PreDumped {
    DumpPlace place;
    double seconds = 0;
  };
  std::optional<PreDumped> pre_dumped_;  // from the end of a pre-dump to the dump
  bool pre_dumps_ = true;                // until a dump after one has failed
  std::uint32_t dumped_run_ = 0;         // of the last complete image
};

}  // namespace dfrs::shim
