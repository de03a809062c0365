# SPDX-License-Identifier: GPL-2.0-or-later
# DFRS_CHECK_SLURM: where Slurm's source and installed headers are, and that both are of one version.
#
# slurmctld loads a scheduler or selector only if it was built for its exact version, and what such a plugin uses is
# declared in the source tree, not in the installed headers. So both are needed, and they must match.
#
# Sets BUILD_PLUGIN (conditional), SLURM_CPPFLAGS, have_slurm_plugin (for the summary).
AC_DEFUN([DFRS_CHECK_SLURM],[
AC_ARG_WITH([slurm-src],
  [AS_HELP_STRING([--with-slurm-src=DIR],[unpacked source of the installed Slurm version; without it the Slurm plugins are not built])],
  [],[with_slurm_src=no])
AC_ARG_WITH([slurm-headers],
  [AS_HELP_STRING([--with-slurm-headers=DIR],[folder that holds slurm/slurm_version.h of the installed Slurm, if that is not /usr/include])],
  [],[with_slurm_headers=])
SLURM_CPPFLAGS=
have_slurm_plugin="no (give --with-slurm-src=DIR)"
AS_IF([test "x$with_slurm_src" = xyes],
  [AC_MSG_ERROR([--with-slurm-src needs a folder: --with-slurm-src=DIR, the unpacked source of the installed Slurm])])
AS_IF([test "x$with_slurm_src" = xno && test -n "$with_slurm_headers"],
  [AC_MSG_ERROR([--with-slurm-headers is of use only together with --with-slurm-src=DIR])])
AS_IF([test "x$with_slurm_src" != xno],[
  # Compilers run in the build folder.
  AS_CASE([$with_slurm_src],[/*],[],[with_slurm_src=`pwd`/$with_slurm_src])
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
    [22.05.*],[],
    [24.11.*|26.05.*],[AS_CASE(["$CPPFLAGS $CFLAGS"],[*-DDFRS_PORTING_SLURM*],[],
      [AC_MSG_ERROR([the Slurm plugin is built and tested for Slurm 22.05 only, this is $slurm_version.
A port has been begun: docs/reference/slurm.md ("Other versions") says how far it is. To work on it: CPPFLAGS=-DDFRS_PORTING_SLURM.
Without --with-slurm-src all but the plugin is built])])],
    [AC_MSG_ERROR([the Slurm plugin is for Slurm 22.05, and this is $slurm_version, of which nothing is known: see docs/reference/slurm.md.
Without --with-slurm-src all but the plugin is built])])
  # Slurm's headers are not ours to correct: -isystem keeps the compiler from warning about them.
  SLURM_CPPFLAGS="-isystem \$(top_srcdir)/plugin/slurm -isystem $with_slurm_src"
  AS_IF([test -n "$with_slurm_headers"],[SLURM_CPPFLAGS="$SLURM_CPPFLAGS -isystem $slurm_headers_in"])
  have_slurm_plugin="for Slurm $slurm_version"
])
AC_SUBST([SLURM_CPPFLAGS])
# Slurm's own library, for programs that speak its protocol (benchmarks only).
SLURM_LIBDIR=
for folder in /usr/lib/*/slurm-wlm /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm; do
  AS_IF([test -e "$folder/libslurmfull.so"],[SLURM_LIBDIR=$folder])
done
AC_SUBST([SLURM_LIBDIR])
AM_CONDITIONAL([BUILD_PLUGIN],[test "x$with_slurm_src" != xno])

# Shared objects are built without libtool: slurmctld wants plain files with these names, and there is one platform.
# In variables, because automake takes options in LDADD for a mistake.
WHOLE_ARCHIVE=-Wl,--whole-archive
NO_WHOLE_ARCHIVE=-Wl,--no-whole-archive
AC_SUBST([WHOLE_ARCHIVE])
AC_SUBST([NO_WHOLE_ARCHIVE])
])
