// The first event of a run, made of a request.

import { escapeUnseen } from '../base/text/escape-unseen.ts';
import { present } from '../base/text/present.ts';
import { type CadreDefinition, workspaceOf } from '../definition/definition.ts';
import { type Digest, EVENT_VERSION, type RunId, type RunStart } from '../journal/event.ts';
import type { AgentName } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import { type FileRef, kindOfFile } from '../kernel/file-ref.ts';
import { KERNEL_REVISION } from '../kernel/revision.ts';
import { acceptedFiles } from '../run/accepted-files.ts';
import type { NewRunStart } from '../run/driven-run.ts';
import type { LoadedCadre } from '../run/loaded-cadre.ts';
import { redactedValue } from '../secrets/redacted-value.ts';
import type { RunRequest } from './contract.ts';
import { stageNamed } from './stages.ts';
import { withHistory } from './thread-history.ts';

/** Throws `agent/unknown`, and `usage` for a stage that the run does not have. `workspace` is what the caller wants the tools to be rooted at. */
export async function runStart(
  run: RunId,
  request: RunRequest,
  cadre: LoadedCadre,
  workspace: string | undefined,
): Promise<NewRunStart> {
  const { definition, secrets } = cadre;
  if (!definition.agents.has(request.agent)) fail('agent/unknown', `There is no agent ${request.agent}.`);
  if (cadre.isRetired) fail('internal', 'A cadre that was replaced starts no run.');
  const { files } = request.input;
  if (files !== undefined) refuseUnaccepted(files, request.agent, cadre);
  const texts = await cadre.pinnedTexts();
  const whole = withHistory(withStage(request, definition));
  const clean = secrets === undefined ? whole : redactedValue(whole, secrets);
  const start = firstEvent(run, clean, definition.folder, texts);
  const rooted = ownWorkspace(definition, workspace);
  return rooted === undefined ? start : { ...start, ...rooted };
}

/** An agent takes the files that its file says, or those that one of its models sees. */
function refuseUnaccepted(files: readonly FileRef[], asked: AgentName, { definition, resources }: LoadedCadre): void {
  const agent = definition.agents.get(asked);
  if (agent === undefined) return;
  const accepted = acceptedFiles(agent, resources);
  const file = files.find((one) => !accepted.includes(kindOfFile(one)));
  if (file === undefined) return;
  const kind = kindOfFile(file);
  const why =
    agent.accepts === undefined
      ? `none of its models (${agent.models.join(', ')}) is known to see ${kind === 'pdf' ? 'PDF files' : 'pictures'}. ` +
        `If one does, say so in cadre.yaml: models: {<name>: {use: ${agent.models[0] ?? 'provider/model'}, sees: [${kind}]}}`
      : `${agent.file} accepts ${agent.accepts.length === 0 ? 'no files' : `only ${agent.accepts.join(', ')}`}`;
  fail('input/invalid', `${asked} does not take "${escapeUnseen(file.name)}" (${file.type}): ${why}.`);
}

/** A wrong stage is refused here, so for every caller alike. */
function withStage(request: RunRequest, cadre: CadreDefinition): RunRequest {
  const { agent, stopAfter } = request;
  return stopAfter === undefined ? request : { ...request, stopAfter: stageNamed(cadre, agent, stopAfter) };
}

function firstEvent(
  run: RunId,
  request: RunRequest,
  folder: string,
  texts: Readonly<Record<string, Digest>>,
): NewRunStart {
  const { agent, input, contract, stopAfter, label, after, thread, continues } = request;
  const type = 'run-start';
  const version = EVENT_VERSION;
  const kernel = KERNEL_REVISION;
  // Most runs by far have none of these. An object made from parts costs much more.
  if ((contract ?? stopAfter ?? label ?? after ?? thread ?? continues) === undefined)
    return { type, version, kernel, run, agent, input, folder, texts };
  return {
    type,
    version,
    kernel,
    run,
    agent,
    input,
    ...present({ contract, stopAfter, label, after, thread, continues }),
    folder,
    texts,
  };
}

/** Recorded only where the configuration, which is pinned, does not say the same. */
const ownWorkspace = (cadre: CadreDefinition, asked: string | undefined): Pick<RunStart, 'workspace'> | undefined =>
  asked === undefined || asked === workspaceOf(cadre) ? undefined : { workspace: asked };
