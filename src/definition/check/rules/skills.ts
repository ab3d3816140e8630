// The rules about `skills`: each that is named is there and can be used, and what is found beside them is sound. A skill that
// was found and cannot be used is left out, with a warning at its place.

import { basename } from 'node:path';
import { meantOr } from '../../../base/text/nearest.ts';
import type { Finding } from '../../diagnostic.ts';
import { sourcesOfClaude } from '../../import/dialects/claude.ts';
import type { LinkedAgent } from '../../link/define.ts';
import { unusableEntry } from '../../read/skills.ts';
import { ALL_SKILLS, SKILL_FILE, SKILL_FOLDERS } from '../../skill-paths.ts';
import { chooseSkills, type SeenSkill } from '../../skills/find-skills.ts';
import { readSkill, type SkillFile, type SkillFinding, type SkillReading } from '../../skills/skill-file.ts';
import { placeOf, type Source, type SourcePlace } from '../../source.ts';
import { type Checkup, forEachAgent, placeIn, workspaceFor } from './checkup.ts';

interface CheckedSkill extends SkillFile {
  readonly file: string;
  readonly source: Source;
}

export const skillsAreThere = forEachAgent((agent, checkup) => {
  const { skills } = agent.definition;
  const workspace = skills === undefined ? undefined : workspaceFor(checkup);
  if (skills === undefined || workspace === undefined) return;
  // The reader has reported an entry that cannot be used.
  const brought = skills.use.flatMap((entry, index) =>
    unusableEntry(entry) === undefined ? broughtBy(entry, index, { agent, checkup, workspace }) : [],
  );
  const { used, shadowed, leftOut } = chooseSkills(brought);
  for (const { skill, by } of shadowed)
    checkup.report({
      code: 'skill/duplicate',
      severity: 'warning',
      source: skill.source,
      message: `this skill is not used: ${by.source.file} has the same name`,
      help: 'Remove one of them, or name folders in the order that you want.',
    });
  if (leftOut.length > 0)
    checkup.report({
      code: 'skill/too-many',
      severity: 'warning',
      ...placeIn(agent, checkup, ['skills']),
      message: `${leftOut.length} of ${used.length + leftOut.length} skills find no room in the prompt: ${leftOut
        .slice(0, 5)
        .map(({ name }) => name)
        .join(', ')}${leftOut.length > 5 ? ', …' : ''}`,
      help: 'A prompt lists 100 skills and 32 KiB at most. Name those that the agent needs.',
    });
  for (const skill of used) lacksTools(skill, agent, checkup);
  const known = used.map(({ name }) => name);
  for (const [index, asked] of skills.preload.entries()) {
    if (known.includes(asked)) continue;
    const place = placeIn(agent, checkup, ['skills', 'preload', index]);
    const message = `preload names "${asked}", which is not among the skills of this agent`;
    reportUnknown(agent, { ...place, message, help: wayTo(asked, known) }, checkup);
  }
});

/** The skills that can be used, of those that an entry brings from the workspace. */
function broughtBy(
  entry: string,
  index: number,
  { agent, checkup, workspace }: { readonly agent: LinkedAgent; readonly checkup: Checkup; readonly workspace: string },
): readonly CheckedSkill[] {
  const seen = checkup.skillsHere(workspace, entry);
  const place = placeOfEntry(agent, checkup, entry, index);
  if (seen.missing !== undefined) {
    const help = wayTo(entry, namesIn(checkup, workspace));
    reportUnknown(agent, { ...place, message: seen.missing, help }, checkup);
  }
  if (seen.skills.length === 0 && seen.missing === undefined)
    checkup.report({
      code: 'skill/none',
      severity: 'warning',
      ...place,
      message:
        entry === ALL_SKILLS
          ? `there is no skill in ${SKILL_FOLDERS.join(', ')} of the workspace ${workspace}`
          : `there is no skill in ${entry}`,
      help: `A skill is a folder with a ${SKILL_FILE}. Add one, or take skills out.`,
    });
  if (seen.rest > 0)
    checkup.report({
      code: 'skill/too-many',
      severity: 'warning',
      ...place,
      message: `${seen.rest} folders are not looked into`,
      help: 'Name the skills that the agent needs.',
    });
  return seen.skills.flatMap((one) => checkedSkill(one, agent, checkup, place) ?? []);
}

const placeOfEntry = (agent: LinkedAgent, checkup: Checkup, entry: string, index: number): SourcePlace =>
  entry === ALL_SKILLS
    ? placeIn(agent, checkup, ['skills'])
    : placeIn(agent, checkup, agent.fields.skills === undefined ? ['skills'] : pathOf(agent, checkup, index));

/** `skills: [pdf]`, `skills: {use: [pdf]}` or `skills: {preload: [pdf]}`: an unknown step ends at the node above. */
function pathOf(agent: LinkedAgent, checkup: Checkup, index: number): readonly (string | number)[] {
  const whole = placeIn(agent, checkup, ['skills']).at;
  const inUse = placeIn(agent, checkup, ['skills', 'use', index]).at;
  if (inUse.start !== whole.start || inUse.end !== whole.end) return ['skills', 'use', index];
  const preloaded = placeIn(agent, checkup, ['skills', 'preload', index]).at;
  return preloaded.start !== whole.start || preloaded.end !== whole.end
    ? ['skills', 'preload', index]
    : ['skills', index];
}

/** An agent of another tool may name skills of folders that only that tool knows: it goes without them. */
function reportUnknown(agent: LinkedAgent, finding: Omit<Finding, 'code'>, { report }: Checkup): void {
  report({ code: 'skill/unknown', ...(agent.file.isForeign === true && { severity: 'warning' as const }), ...finding });
}

const wayTo = (name: string, known: readonly string[]): string =>
  meantOr(
    name,
    known,
    `A skill is a folder with a ${SKILL_FILE}${known.length === 0 ? '.' : `; there are: ${known.slice(0, 10).join(', ')}.`}`,
  );

const namesIn = (checkup: Checkup, workspace: string): readonly string[] => [
  ...new Set(checkup.skillsHere(workspace, ALL_SKILLS).skills.map(({ folder }) => basename(folder))),
];

function checkedSkill(
  seen: SeenSkill,
  agent: LinkedAgent,
  { report, fileOf }: Checkup,
  place: SourcePlace,
): CheckedSkill | undefined {
  const { folder, isNamed, sight } = seen;
  const isTolerated = agent.file.isForeign === true;
  const refuse = (source: Source, { message, help, at, code }: SkillFinding): void => {
    if (!isNamed)
      return report({
        code,
        severity: 'warning',
        source,
        ...(at && { at }),
        message: `this skill is not used: ${message}`,
        help,
      });
    const { line, column } = at === undefined ? { line: 1, column: 1 } : placeOf(source, at);
    const where = `${source.file}:${line}:${column}`;
    report({
      code,
      ...(isTolerated && { severity: 'warning' as const }),
      ...place,
      message: `${where}: ${message}`,
      help,
    });
  };
  if (sight.kind === 'closed') {
    const help = `Put a regular ${SKILL_FILE} into the folder, in the workspace.`;
    refuse({ file: fileOf(`${folder}/${SKILL_FILE}`), text: '' }, { code: 'skill/invalid', message: sight.why, help });
    return undefined;
  }
  const source = { file: fileOf(sight.file), text: sight.text };
  const { skill, faults, warnings }: SkillReading = readSkill(source, basename(folder));
  for (const fault of faults) refuse(source, fault);
  for (const warning of warnings) report({ ...warning, severity: 'warning', source });
  return skill === undefined ? undefined : { ...skill, file: sight.file, source };
}

/** Tools that its text asks for. The list asks, and grants nothing. */
function lacksTools({ allowedTools, name, source }: CheckedSkill, agent: LinkedAgent, { report }: Checkup): void {
  const { tools, file } = agent.definition;
  const has = (one: string): boolean => tools.some((entry) => entry === one || entry.startsWith(`${one}/`));
  const lacking = allowedTools.filter((written) => {
    const plain = written.replace(/\(.*$/, '');
    if (GIVEN_OTHERWISE.has(plain)) return false;
    const meant = sourcesOfClaude([plain]);
    return meant.length === 0 || meant.some((one) => !has(one));
  });
  if (lacking.length === 0) return;
  report({
    code: 'skill/tools',
    severity: 'warning',
    source,
    message: `the skill ${name} asks for tools that ${file} does not have: ${lacking.slice(0, 10).join(', ')}`,
    help: 'Add what they stand for to `tools` of the agent (Read is files, Write files:write, Bash shell), or use it without.',
  });
}

/** Tools of Claude Code whose counterpart comes from keys of their own. */
const GIVEN_OTHERWISE: ReadonlySet<string> = new Set(['Skill', 'Task', 'Agent']);
