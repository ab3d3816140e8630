// The pictures and documents that an agent takes.

import type { AgentDefinition } from '../definition/definition.ts';
import type { FileKind } from '../kernel/file-ref.ts';
import type { CadreResources } from './resources.ts';

/** Those that its file says, or those that one of its models sees. */
export const acceptedFiles = (
  agent: Pick<AgentDefinition, 'accepts' | 'models'>,
  resources: Pick<CadreResources, 'sight'>,
): readonly FileKind[] => agent.accepts ?? resources.sight(agent)?.sees ?? [];
