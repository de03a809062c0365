# SPDX-License-Identifier: GPL-2.0-or-later
# DFRS_INSTALL_HINT(VARIABLE, PACKAGES): sets VARIABLE to how this system installs packages that are named as in Debian.
# /etc/os-release says which system it is; DFRS_OS_RELEASE names another file, for tests.
AC_DEFUN([DFRS_INSTALL_HINT],[
dfrs_system=`. "${DFRS_OS_RELEASE:-/etc/os-release}" 2> /dev/null; echo " $ID $ID_LIKE "`
dfrs_names=
dfrs_unpackaged=
for dfrs_package in $2; do
  # Debian's name: that of Fedora and RHEL, that of openSUSE; "-": not packaged
  AS_CASE([$dfrs_package],
    [libarchive-dev],[dfrs_rpm=libarchive-devel dfrs_suse=libarchive-devel],
    [libbenchmark-dev],[dfrs_rpm=google-benchmark-devel dfrs_suse=benchmark-devel],
    [libcli11-dev],[dfrs_rpm=cli11-devel dfrs_suse=cli11-devel],
    [libcurl4-openssl-dev],[dfrs_rpm=libcurl-devel dfrs_suse=libcurl-devel],
    [libdeflate-dev],[dfrs_rpm=libdeflate-devel dfrs_suse=libdeflate-devel],
    [libexpected-dev],[dfrs_rpm=expected-devel dfrs_suse=-],
    [libfmt-dev],[dfrs_rpm=fmt-devel dfrs_suse=fmt-devel],
    [libglpk-dev],[dfrs_rpm=glpk-devel dfrs_suse=glpk-devel],
    [libgmock-dev],[dfrs_rpm=gmock-devel dfrs_suse=gmock],
    [libgtest-dev],[dfrs_rpm=gtest-devel dfrs_suse=gtest],
    [liblemon-dev],[dfrs_rpm=coin-or-lemon-devel dfrs_suse=-],
    [libmicrohttpd-dev],[dfrs_rpm=libmicrohttpd-devel dfrs_suse=libmicrohttpd-devel],
    [libmunge-dev],[dfrs_rpm=munge-devel dfrs_suse=munge-devel],
    [libslurm-dev],[dfrs_rpm=slurm-devel dfrs_suse=slurm-devel],
    [libspdlog-dev],[dfrs_rpm=spdlog-devel dfrs_suse=spdlog-devel],
    [libsqlite3-dev],[dfrs_rpm=sqlite-devel dfrs_suse=sqlite3-devel],
    [libutf8proc-dev],[dfrs_rpm=utf8proc-devel dfrs_suse=utf8proc-devel],
    [libzstd-dev],[dfrs_rpm=libzstd-devel dfrs_suse=libzstd-devel],
    [librapidcheck-dev],[dfrs_rpm=rapidcheck-devel dfrs_suse=-],
    [nettle-dev],[dfrs_rpm=nettle-devel dfrs_suse=libnettle-devel],
    [nlohmann-json3-dev],[dfrs_rpm=json-devel dfrs_suse=nlohmann_json-devel],
    [zlib1g-dev],[dfrs_rpm=zlib-devel dfrs_suse=zlib-devel],
    [dfrs_rpm=$dfrs_package dfrs_suse=$dfrs_package])
  AS_CASE([$dfrs_system],
    [*" debian "*|*" ubuntu "*],[dfrs_name=$dfrs_package],
    [*suse*],[dfrs_name=$dfrs_suse],
    [*" fedora "*|*" rhel "*],[dfrs_name=$dfrs_rpm],
    [dfrs_name=$dfrs_package])
  AS_IF([test "x$dfrs_name" = x-],[dfrs_unpackaged="$dfrs_unpackaged $dfrs_package"],[dfrs_names="$dfrs_names $dfrs_name"])
done
AS_CASE([$dfrs_system],
  [*" debian "*|*" ubuntu "*],[$1="apt-get install$dfrs_names"],
  [*suse*],[$1="zypper install$dfrs_names"],
  [*" rhel "*],[$1="dnf install epel-release && dnf --enablerepo=crb install$dfrs_names"],
  [*" fedora "*],[$1="dnf install$dfrs_names"],
  [$1="the packages that Debian calls$dfrs_names"])
AS_IF([test -n "$dfrs_unpackaged"],[$1="$$1
Not packaged there; build them from source:$dfrs_unpackaged (as Debian calls them)"])
])
