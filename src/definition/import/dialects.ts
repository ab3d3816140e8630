// The dialects, in the order in which their places and keys are asked. DIALECT-1.

import type { AgentDialect, DialectName, ForeignFile } from './dialect.ts';
import { claude } from './dialects/claude.ts';
import { codex } from './dialects/codex.ts';
import { copilot } from './dialects/copilot.ts';
import { docker } from './dialects/docker.ts';
import { gemini } from './dialects/gemini.ts';
import { goose } from './dialects/goose.ts';
import { netdata } from './dialects/netdata.ts';
import { opencode } from './dialects/opencode.ts';

const DIALECTS: readonly AgentDialect[] = [claude, copilot, opencode, gemini, codex, docker, goose, netdata];

export const dialectNamed = (name: DialectName): AgentDialect => DIALECTS.find((one) => one.name === name)!;

/** The dialect of everything at a place. The path begins above the folder that is imported. */
export const dialectAt = (path: string): AgentDialect | undefined =>
  DIALECTS.find((one) => one.endings.test(path) && one.isPlace(path));

export const dialectOfKeys = (path: string, file: ForeignFile): AgentDialect | undefined =>
  DIALECTS.find((one) => one.endings.test(path) && one.hasKeys(file));
