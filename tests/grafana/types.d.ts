// SPDX-License-Identifier: GPL-2.0-or-later
// A dashboard with the kinds of panels that ours has, as JSON may hold it, in Grafana's own types.
import type {
  Dashboard as AnyDashboard,
  FieldConfigSource,
  GraphFieldConfig,
  Panel,
  VariableModel,
} from '@grafana/schema';
import type * as stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as timeseries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

// JSON has no enums: the values of an enum of strings are taken, too.
type Plain<T> = unknown extends T
  ? T
  : T extends string
    ? `${T}`
    : T extends number | boolean | null | undefined
      ? T
      : T extends Array<infer Item>
        ? Plain<Item>[]
        : { [Key in keyof T]: Plain<T[Key]> };

// Grafana leaves a field's own settings open for the plugins of others; of these panels we know them.
type Defaults<Custom> = Omit<FieldConfigSource['defaults'], 'custom'> & { custom?: Custom };
type Of<Type, Options, Custom> = Omit<Panel, 'type' | 'options' | 'fieldConfig'> & {
  type: Type;
  options: Options;
  fieldConfig: Omit<FieldConfigSource, 'defaults'> & { defaults: Defaults<Custom> };
};
type OurPanel = Of<'timeseries', timeseries.Options, GraphFieldConfig> | Of<'stat', stat.Options, Record<string, never>>;

// Grafana stores the text of a variable's query as `definition`, which its types leave out.
type Variable = VariableModel & { definition?: string };

export type Dashboard = Omit<Plain<AnyDashboard>, 'panels' | 'templating'> & {
  panels: Plain<OurPanel>[];
  templating: { list: Plain<Variable>[] };
};
