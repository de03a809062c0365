# SPDX-License-Identifier: GPL-2.0-or-later
# DFRS_CHECK_SLURM: where Slurm's source and installed headers are, and that both are of one version.
#
# slurmctld loads a scheduler or selector only if it was built for its exact version, and what such a plugin uses is
# declared in the source tree, not in the installed headers. So both are needed, and they must match.
#
# Sets BUILD_PLUGIN (conditional), SLURM_CPPFLAGS, have_slurm_plugin (for the summary).
AC_DEFUN([DFRS_CHECK_SLURM],[
AC_ARG_WITH([slurm-src],
  [AS_HELP_STRING([--with-slurm-src=PATH],[source of the installed Slurm version, a folder or an upstream tarball; without it the Slurm plugins are not built])],
  [],[with_slurm_src=no])
AC_ARG_WITH([slurm-headers],
  [AS_HELP_STRING([--with-slurm-headers=DIR],[folder that holds slurm/slurm_version.h of the installed Slurm, if that is not /usr/include])],
  [],[with_slurm_headers=])
SLURM_CPPFLAGS=
SPANK_CPPFLAGS=
slurm_generation=
have_slurm_plugin="no (give --with-slurm-src=PATH)"
AS_IF([test "x$with_slurm_src" = xyes],
  [AC_MSG_ERROR([--with-slurm-src needs a path: --with-slurm-src=PATH, the source of the installed Slurm (a folder or a tarball)])])
AS_IF([test "x$with_slurm_src" = xno && test -n "$with_slurm_headers"],
  [AC_MSG_ERROR([--with-slurm-headers is of use only together with --with-slurm-src=PATH])])
AS_IF([test "x$with_slurm_src" != xno],[
  # Compilers run in the build folder.
  AS_CASE([$with_slurm_src],[/*],[],[with_slurm_src=`pwd`/$with_slurm_src])
  # A tarball is unpacked into the build folder.
  AS_IF([test -f "$with_slurm_src"],[
    slurm_tarball=$with_slurm_src
    with_slurm_src=`pwd`/slurm-src
    rm -rf "$with_slurm_src"
    mkdir "$with_slurm_src"
    AC_MSG_NOTICE([unpacking $slurm_tarball into $with_slurm_src])
    AS_IF([tar -xf "$slurm_tarball" -C "$with_slurm_src" --strip-components=1],[],
      [AC_MSG_ERROR([--with-slurm-src=$slurm_tarball cannot be unpacked: give an upstream tarball of Slurm, or a folder])])])
  AS_IF([test -r "$with_slurm_src/META" && test -r "$with_slurm_src/src/slurmctld/slurmctld.h"],[],
    [AC_MSG_ERROR([--with-slurm-src=$with_slurm_src is not an unpacked Slurm source: META or src/slurmctld/slurmctld.h is missing there.
On Debian, plugin/fetch_slurm_source.sh DIR fetches the one of the installed version and prints the folder])])
  slurm_src_major=`sed -n 's/^[[ 	]]*Major:[[ 	]]*//p' "$with_slurm_src/META"`
  slurm_src_minor=`sed -n 's/^[[ 	]]*Minor:[[ 	]]*//p' "$with_slurm_src/META"`
  slurm_src_micro=`sed -n 's/^[[ 	]]*Micro:[[ 	]]*//p' "$with_slurm_src/META" | sed 's/[[^0-9]].*//'`
  slurm_src_version=$slurm_src_major.$slurm_src_minor.$slurm_src_micro

  slurm_headers_in=/usr/include
  AS_IF([test -n "$with_slurm_headers"],
    [AS_CASE([$with_slurm_headers],[/*],[],[with_slurm_headers=`pwd`/$with_slurm_headers])
     slurm_headers_in=$with_slurm_headers])
  slurm_version_h=$slurm_headers_in/slurm/slurm_version.h
  AS_IF([test -r "$slurm_version_h"],[],
    [AC_MSG_ERROR([$slurm_version_h is missing: it says for which Slurm the plugins are to be built.
On Debian: apt-get install libslurm-dev. If it is elsewhere, give --with-slurm-headers=DIR, where DIR/slurm/slurm_version.h is])])

  # The number that slurmctld compares, by the preprocessor: the header may come to compute it.
  AC_MSG_CHECKING([for the version of the installed Slurm])
  AC_LANG_PUSH([C])
  dfrs_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS -isystem $slurm_headers_in"
  AC_COMPUTE_INT([slurm_number],[SLURM_VERSION_NUMBER],[#include <slurm/slurm_version.h>],
    [AC_MSG_RESULT([none])
     AC_MSG_ERROR([$slurm_version_h has no SLURM_VERSION_NUMBER that a compiler understands; see config.log])])
  CPPFLAGS=$dfrs_save_CPPFLAGS
  AC_LANG_POP([C])
  # Two digits, as Slurm writes its minor version.
  slurm_version=`printf '%d.%02d.%d' $((slurm_number >> 16 & 255)) $((slurm_number >> 8 & 255)) $((slurm_number & 255))`
  AC_MSG_RESULT([$slurm_version])
  AC_MSG_CHECKING([for the version of the Slurm source])
  AC_MSG_RESULT([$slurm_src_version])
  AS_IF([test "x$slurm_version" = "x$slurm_src_version"],[],
    [AC_MSG_ERROR([Slurm's installed headers and its source are of different versions:
  headers $slurm_version  ($slurm_version_h)
  source  $slurm_src_version  ($with_slurm_src/META)
slurmctld refuses plugins of another version than its own. Give the source of Slurm $slurm_version by --with-slurm-src
(on Debian, plugin/fetch_slurm_source.sh DIR fetches it), or the headers of Slurm $slurm_src_version by --with-slurm-headers])])
  # plugin/compat.h says the same, to those who do not come this way.
  AS_CASE([$slurm_version],
    [22.05.*],[slurm_generation=22_05],
    [23.11.*],[slurm_generation=23_11],
    [24.11.*],[slurm_generation=24_11],
    [25.05.*|25.11.*|26.05.*],[slurm_generation=25_05],
    [AC_MSG_ERROR([the Slurm plugins are for Slurm 22.05, 23.11, 24.11, 25.05, 25.11 and 26.05; this is $slurm_version.
docs/reference/slurm.md says what another version needs. Without --with-slurm-src all but the plugins is built])])
  # Slurm's headers are not ours to correct: -isystem keeps the compiler from warning about them.
  SLURM_CPPFLAGS="-isystem \$(top_srcdir)/plugin/slurm -isystem $with_slurm_src"
  # The SPANK plugin takes what is public; Slurm checks its version, too.
  AS_IF([test -n "$with_slurm_headers"],
    [SLURM_CPPFLAGS="$SLURM_CPPFLAGS -isystem $slurm_headers_in"
     SPANK_CPPFLAGS="-isystem $slurm_headers_in -isystem $with_slurm_src"])
  have_slurm_plugin="for Slurm $slurm_version"
])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([SPANK_CPPFLAGS])
# Slurm's own library, for programs that speak its protocol (benchmarks only).
SLURM_LIBDIR=
for folder in /usr/lib/*/slurm-wlm /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm; do
  AS_IF([test -e "$folder/libslurmfull.so"],[SLURM_LIBDIR=$folder])
done
AC_SUBST([SLURM_LIBDIR])
m4_foreach_w([generation],[22_05 23_11 24_11 25_05],
  [AM_CONDITIONAL([SLURM_]generation,[test "x$slurm_generation" = x]generation)])
AM_CONDITIONAL([BUILD_PLUGIN],[test "x$with_slurm_src" != xno])

# Shared objects are built without libtool: slurmctld wants plain files with these names, and there is one platform.
# In variables, because automake takes options in LDADD for a mistake.
WHOLE_ARCHIVE=-Wl,--whole-archive
NO_WHOLE_ARCHIVE=-Wl,--no-whole-archive
AC_SUBST([WHOLE_ARCHIVE])
AC_SUBST([NO_WHOLE_ARCHIVE])
])
