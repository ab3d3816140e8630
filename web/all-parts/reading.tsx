// Parts to be read: heads, figures, sections, banners, texts, tables, and the way to an answer.

import { Button } from '../src/parts/controls.tsx';
import { FeedbackBox } from '../src/parts/feedback/box.tsx';
import { Thumbs } from '../src/parts/feedback/feedback.tsx';
import { JsonText } from '../src/parts/json-text.tsx';
import { Bones } from '../src/parts/loading.tsx';
import { Markdown } from '../src/parts/markdown.tsx';
import { Banner, Empty, Figures, Section } from '../src/parts/panel.tsx';
import { SchemaTable } from '../src/parts/schema-table.tsx';
import type { StateName } from '../src/parts/state.tsx';
import { TextBlock } from '../src/parts/text-block.tsx';
import { WhySteps } from '../src/parts/why-steps.tsx';
import { nothing, type Specimens } from './specimen.tsx';

const TEXT = `# What the bridge did

- [x] The ferry stops
- [ ] The inn changes hands

| year | tolls |
|---|---|
| 1933 | 412 |

> In the spring of 1933 the smith left. See [the archive](https://example.com/archive).

\`\`\`
toll = 2
\`\`\`
`;

const FIGURES = [
  { name: 'time', value: '38s' },
  { name: 'model calls', value: '47' },
  { name: 'cost', value: '≥ $0.0325' },
];

const BANNERS: readonly StateName[] = ['failed', 'exhausted', 'broken-off', 'cancelled', 'answered', 'running'];

const SCHEMA = {
  type: 'object',
  properties: { to: { type: 'string' }, cc: { type: 'string' } },
  required: ['to'],
} as const;

const NOTE = { run: 'r1', at: 1_800_000_000_000 } as const;
const MARKED = { run: 'r1', agent: 'desk', outcome: { kind: 'answered', agent: 'desk', text: 'Yes.' } } as const;

const feedback = (of: Partial<Parameters<typeof Thumbs>[0]['of']>) => {
  const state = { run: 'r1', yours: undefined, others: [], why: undefined, isKept: false, put: nothing, ...of };
  return (
    <div>
      <Thumbs of={state} />
      {(state.yours ?? state.why) !== undefined && <FeedbackBox of={state} marked={MARKED} />}
    </div>
  );
};

export const READING: Specimens = {
  id: 'reading',
  title: 'What is read',
  width: 'narrow',
  of: {
    figures: <Figures of={FIGURES} />,
    facts: <Figures as="facts" of={FIGURES} />,
    section: (
      <Section title="What it cost" aside="own">
        <p>front-desk</p>
      </Section>
    ),
    ...Object.fromEntries(
      BANNERS.map((state) => [
        `banner: ${state}`,
        <Banner
          key={state}
          state={state}
          quiet
          actions={
            <Button size="small" onPress={nothing}>
              Go to it
            </Button>
          }
        >
          upstream connect error, 3 attempts (<code>model/server</code>)
        </Banner>,
      ]),
    ),
    'nothing here yet': (
      <Empty part title="No runs yet">
        <p>Start one here or in a terminal.</p>
      </Empty>
    ),
    'on its way': <Bones rows={3} />,
    Markdown: (
      <div class="text">
        <Markdown text={TEXT} />
      </div>
    ),
    JSON: <JsonText value={{ order: '17', amount: 189.5, items: ['sextant', null, true] }} />,
    'text: bad': <TextBlock text="upstream connect error" tone="bad" />,
    'feedback: no mark': feedback({}),
    'feedback: bad, kept': feedback({
      yours: { ...NOTE, by: 'owner', mark: 'bad', text: 'It should say where.' },
      isKept: true,
    }),
    'feedback: good, and another one': feedback({
      yours: { ...NOTE, by: 'owner', mark: 'good' },
      others: [{ ...NOTE, by: 'ci', mark: 'bad', text: 'Too long.' }],
    }),
    'feedback: refused': feedback({ why: 'The server cannot be reached.' }),
    'two schemas': (
      <SchemaTable
        of={[
          { title: 'drafter answers', schema: SCHEMA },
          { title: 'writer takes', schema: { ...SCHEMA, required: ['to', 'cc'] } },
        ]}
      />
    ),
    'why this answer': (
      <WhySteps
        run="r1"
        why={{
          agent: 'front-desk',
          request: 'Please refund order 17.',
          steps: [
            { op: '0.4.7', agent: 'refunds', turn: 3, does: 'answers', text: 'It is refunded.', beside: [] },
            {
              op: '0.3',
              agent: 'front-desk-of-the-whole-shop',
              turn: 1,
              does: 'routes',
              to: 'refunds-and-returns',
              trigger: 'router',
              text: 'Order 17.',
              beside: [{ how: 'advised', op: '0.1.0', name: 'risk', trigger: 'advisor', text: 'Low.' }],
            },
          ],
        }}
      />
    ),
  },
};
