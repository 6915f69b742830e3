"""The experiments by id."""

from __future__ import annotations

from spielbaum.base.errors import SpecError
from spielbaum.base.options import did_you_mean
from spielbaum.lab.documents import (
    s0_beta,
    s0_decisive,
    s0_figure18,
    s0_figure19,
    s0_figure20,
    s0_many,
    s0_speed,
    s0_table1,
    s0_table2,
    s0_table3,
    s0_table4,
    s0_table5,
    s0_table6,
    s0_table7,
    s0_table8,
    s0_table9,
    s0_table10,
    s0_table11,
    s0_table12,
    s0_table13,
    s0_ucd,
    s1_figure4_5,
    s1_figure4_9,
    s1_figure4_10,
    s1_figure4_12,
    s1_figure4_14,
    s1_figure4_15,
    s1_figure4_18,
    s1_figure4_20,
    s1_figure4_21,
    s1_figure4_22,
    s1_figure4_24,
    s1_figure4_25,
    s1_figure4_27,
    s1_figure4_28,
    s1_figure4_29,
    s1_figure4_30,
    s1_second,
    s1_table4_2,
    s2_combined,
    s2_figure3_3,
    s2_figure3_4,
    s2_figure3_5,
    s2_figure3_6,
    s2_figure3_7,
    s2_figure3_8,
    s2_figure3_9,
    s2_table3_1,
    s2_table3_2,
    s2_table3_3,
    s2_table3_4,
    s2_table3_5,
    s2_table3_6,
    s2_table_entries,
    s4_figure6_1,
)
from spielbaum.lab.experiment import Experiment

# In the order of the documents; what they only wished for comes last.
_EXPERIMENTS: tuple[Experiment, ...] = (
    s0_figure18.EXPERIMENT,
    s0_figure19.EXPERIMENT,
    s0_figure20.EXPERIMENT,
    s0_table1.EXPERIMENT,
    s0_table2.EXPERIMENT,
    s0_table3.EXPERIMENT,
    s0_table4.EXPERIMENT,
    s0_table5.EXPERIMENT,
    s0_table6.EXPERIMENT,
    s0_table7.EXPERIMENT,
    s0_table8.EXPERIMENT,
    s0_table9.EXPERIMENT,
    s0_table10.EXPERIMENT,
    s0_table11.EXPERIMENT,
    s0_table12.EXPERIMENT,
    s0_table13.EXPERIMENT,
    s0_speed.EXPERIMENT,
    s0_ucd.EXPERIMENT,
    s0_many.EXPERIMENT,
    s0_beta.EXPERIMENT,
    s0_decisive.EXPERIMENT,
    s1_figure4_5.EXPERIMENT,
    s1_figure4_9.EXPERIMENT,
    s1_figure4_10.EXPERIMENT,
    s1_figure4_12.EXPERIMENT,
    s1_figure4_14.EXPERIMENT,
    s1_figure4_15.EXPERIMENT,
    s1_figure4_18.EXPERIMENT,
    s1_figure4_20.EXPERIMENT,
    s1_figure4_21.EXPERIMENT,
    s1_figure4_22.EXPERIMENT,
    s1_figure4_24.EXPERIMENT,
    s1_figure4_25.EXPERIMENT,
    s1_figure4_27.EXPERIMENT,
    s1_figure4_28.EXPERIMENT,
    s1_figure4_29.EXPERIMENT,
    s1_figure4_30.EXPERIMENT,
    s1_table4_2.EXPERIMENT,
    s1_second.EXPERIMENT,
    s2_table3_1.EXPERIMENT,
    s2_figure3_3.EXPERIMENT,
    s2_figure3_4.EXPERIMENT,
    s2_figure3_5.EXPERIMENT,
    s2_table3_2.EXPERIMENT,
    s2_figure3_6.EXPERIMENT,
    s2_table3_3.EXPERIMENT,
    s2_figure3_7.EXPERIMENT,
    s2_table3_4.EXPERIMENT,
    s2_table3_5.EXPERIMENT,
    s2_table3_6.EXPERIMENT,
    s2_figure3_8.EXPERIMENT,
    s2_figure3_9.EXPERIMENT,
    s2_table_entries.EXPERIMENT,
    s2_combined.EXPERIMENT,
    s4_figure6_1.EXPERIMENT,
)
_BY_ID = {each.id: each for each in _EXPERIMENTS}


def experiments() -> tuple[Experiment, ...]:
    """Every experiment, in the order of the documents.

    >>> [each.id for each in experiments()][:3]
    ['S0.figure18', 'S0.figure19', 'S0.figure20']
    """
    return _EXPERIMENTS


def experiment(id: str) -> Experiment:  # noqa: A002  the word that Experiment uses
    """The experiment with this id.

    >>> experiment("S0.table7").title
    'Last good reply'
    >>> try:
    ...     experiment("S0.tabel7")
    ... except SpecError as error:
    ...     print(str(error).partition(";")[0])
    there is no experiment 'S0.tabel7' (did you mean S0.table7?)
    """
    found = _BY_ID.get(id)
    if found is None:
        raise SpecError(
            f"there is no experiment {id!r:.60}{did_you_mean(id, list(_BY_ID))}; "
            f"the experiments are those of spielbaum lab list, such as {_EXPERIMENTS[0].id}"
        )
    return found
