export interface BrowserProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it can only be started with. */
  readonly args: readonly string[];
}

export function browserProgram(env?: NodeJS.ProcessEnv): BrowserProgram;
