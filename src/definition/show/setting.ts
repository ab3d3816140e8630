// One key of an agent, as it is shown to people. It knows no module of Node, so that the page can use it.

/** `file`: the agent's own. `defaults` and `limits` are parts of cadre.yaml. `built-in`: no file says it. */
export type SettingOrigin = 'file' | 'defaults' | 'limits' | 'built-in';

export interface AgentSetting {
  readonly key: string;
  /** The value as a file would say it. Absent: the key is not set, and nothing stands in for it. */
  readonly value?: unknown;
  readonly from: SettingOrigin;
  /** The place where it is written. */
  readonly place?: { readonly file: string; readonly line: number };
}
