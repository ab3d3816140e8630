// Child processes: one for each measurement, one at a time.

import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';

const start = promisify(execFile);

/** No framework may send telemetry while it is measured. */
const QUIET = {
  NODE_ENV: 'production',
  NO_COLOR: '1',
  LANGSMITH_TRACING: 'false',
  LANGCHAIN_TRACING_V2: 'false',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  MASTRA_TELEMETRY_DISABLED: '1',
  OTEL_SDK_DISABLED: 'true',
  RESTATE_LOGGING: 'ERROR',
};

export const quietly = (env = {}) => ({ ...process.env, ...QUIET, ...env });

export async function node(args, { timeoutMs = 300_000, env = {} } = {}) {
  const begin = performance.now();
  const { stdout } = await start(process.execPath, args, {
    env: quietly(env),
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { stdout, ms: performance.now() - begin };
}

/** Why a measurement failed, in one line. */
export function reason(error) {
  if (error.killed) return 'took too long and was stopped';
  const lines = String(error.stderr || error.message).split('\n');
  return (lines.find((line) => /Error:/.test(line)) ?? lines[0]).slice(0, 300);
}
