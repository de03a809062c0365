# SPDX-License-Identifier: GPL-2.0-or-later
"""The experiments, their commands, and the folders of pages, data and charts."""
import os

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(HERE, "data")
IMAGES = os.path.join(HERE, "..", "images")

# The paper, and the options of its reproduction.
EXPERIMENTS = {
    "dynp": "--parts table3,table4,table5,table5-sets,table6 --instances 20",
    "dynp-queue": "--assume queue --parts table4,table5,table6 --instances 20",
    "gang-cloud": "--parts table1,figure2a,figure2b,figure3,lease",
    "gang-cloud-readings": "--parts readings --instances 10",
    "ipdps2010": "--parts table1,table2,figure1a,figure1a-text,figure1b",
    "ipdps2010-assumptions": "--parts table2-assumptions,table2-assumptions-cells --instances 50",
    "ipdps2010-newest": "--assume newest --parts table1,table2,figure1a-text",
    "rivals": "",
    "rr5724": "",
    "rr5724-fit": "--assume fit",
    "rr7659": "--parts table5,table6,figure5,figure6",
    "rr7659-assumptions": "--parts table3-assumptions,table3-assumptions-cells",
    "rr7659-fit": "--assume fit --parts table5,table6",
    "rr7659-scaled": "--parts table3,table4,table4-assumptions,table7,table8,table9,table10,"
                     "figure1,figure7,figure8,figure9",
    "rr7659-fit-scaled": "--assume fit --parts table7,table8,table9,table10",
    "rr7659-ties": "--assume ties --parts table5,table6,table8,table9,table10",
    "sc15": "--parts kth,ctc,predictors-kth,predictors-ctc,errors-kth,errors-ctc,errors-hpc2n",
    "triage": "--parts weeks,weeks-split,weeks-free,optimum,optimum-weeks,worlds,swap,mixed,logs-ctc,logs-kth,"
              "robust,lublin,lublin-load-costs,losses,sensitivity-all",
}

# Names of experiments that are not the reproduction's.
REPRODUCTIONS = {"dynp-queue": "dynp", "gang-cloud-readings": "gang-cloud", "rr5724-fit": "rr5724",
                 **{f"ipdps2010-{rest}": "ipdps2010" for rest in ("assumptions", "newest")},
                 **{f"rr7659-{rest}": "rr7659" for rest in ("assumptions", "fit", "fit-scaled", "scaled", "ties")}}
# Benchmarks of performance.md, by tests/bench/measure.py. The last two need root.
BENCHMARKS = ["programs", "campaigns", "controller", "agent", "delivery", "pages", "reasons", "slurmctld", "launch"]
MEASUREMENTS = [f"performance-{part}" for part in BENCHMARKS]
# The second simulators of sc15.md, by a script of the tests that writes their data. They need two more logs.
SECOND = "sc15-second"
# Parts of these experiments that run apart.
APART = {"rr7659": ["rr7659-scaled"], "rr7659-fit": ["rr7659-fit-scaled"]}
# Images that the command draws, from its folder to docs/images.
PICTURES = {"rivals": ["rivals-gain.svg", "rivals-stability.svg", "rivals-stable.svg"]}

ALL = [*EXPERIMENTS, SECOND, *MEASUREMENTS]


def reproduction(name):
    return REPRODUCTIONS.get(name, name)


def command_of(name, arguments):
    return f"dfrs-sim reproduce {reproduction(name)} {arguments}".rstrip()
