// The bar that chooses runs: by state, by the words of the filter, by a filter that was saved.

import { useRef, useState } from 'preact/hooks';
import { countText } from '../../../../src/views/amounts.ts';
import { RUN_FIELDS, unknownWords } from '../../../../src/views/runs/filter.ts';
import { hrefOf } from '../../app/addresses.ts';
import { setQuery } from '../../app/router.ts';
import { problemOf } from '../../data/api.ts';
import { localCalendar } from '../../data/calendar.ts';
import type { RunCounts } from '../../data/run-counts.ts';
import { forgetFilter, saveFilter, useSavedFilters } from '../../data/saved-filters.ts';
import { Button, Choices, FilterField } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { CHOICE_NAMES, CHOICES, choiceCounts, type RunChoice } from './run-rows.ts';

interface ChooseBarProps {
  readonly query: Readonly<Record<string, string>>;
  readonly choice: RunChoice;
  readonly counts: RunCounts | undefined;
  /** New runs above what is seen. */
  readonly unseen: number;
  readonly onShowNew: () => void;
}

export const ChooseBar = ({ query, choice, counts, unseen, onShowNew }: ChooseBarProps) => {
  const q = query['q'] ?? '';
  const all = counts === undefined ? undefined : choiceCounts(counts);
  // Few runs break off, and those are among the ones that were not answered.
  const choices = CHOICES.filter((one) => one !== 'broken-off' || one === choice || (all?.[one] ?? 0) > 0);
  return (
    <div class="bar runs-choose inset-bar wraps">
      <Choices
        label="Which runs"
        chosen={choice}
        of={choices.map((value) => ({
          value,
          name: CHOICE_NAMES[value],
          count: all === undefined ? '–' : countText(all[value]),
        }))}
        onChoose={(value: RunChoice) => setQuery({ state: value === 'all' ? undefined : value })}
      />
      <FilterField
        value={q}
        placeholder="agent:front-desk cost:>0.01 text"
        width={300}
        unknown={q.includes(':') ? unknownWords(q, RUN_FIELDS, localCalendar()) : []}
        onChange={(text) => setQuery({ q: text === '' ? undefined : text })}
      />
      <Saved query={query} />
      <span class="grow" />
      {unseen > 0 && (
        <Button size="small" onPress={onShowNew}>
          {unseen} new
        </Button>
      )}
      <span class="faint wide-only">1 row per chat</span>
    </div>
  );
};

/** The fields of the address that a saved filter keeps. */
const KEPT = ['q', 'state'] as const;

function keptOf(query: ChooseBarProps['query']): string {
  const fields = KEPT.flatMap((key) => (query[key] === undefined ? [] : [[key, query[key]] as [string, string]]));
  return new URLSearchParams(fields).toString();
}

const Saved = ({ query }: { readonly query: ChooseBarProps['query'] }) => {
  const filters = useSavedFilters();
  const [isNaming, setNaming] = useState(false);
  const now = keptOf(query);
  const current = filters.find((one) => one.query === now);
  return (
    <>
      {filters.length > 0 && (
        <nav class="line wraps" aria-label="Saved filters">
          {filters.map((one) => (
            <a
              key={one.name}
              class="chip-link line gaps-6 small-text soft paper"
              href={`${hrefOf({ screen: 'runs' })}?${one.query}`}
              aria-current={one === current ? 'true' : undefined}
              title={one.name}
            >
              <Icon name="saved" />
              <bdi>{one.name}</bdi>
            </a>
          ))}
        </nav>
      )}
      {isNaming ? (
        <NameField query={now} onClose={() => setNaming(false)} />
      ) : current !== undefined ? (
        <Button kind="bare" size="small" onPress={() => void forgetFilter(current.name)}>
          Forget {current.name}
        </Button>
      ) : (
        now !== '' && (
          <Button kind="bare" size="small" onPress={() => setNaming(true)}>
            Save as link
          </Button>
        )
      )}
    </>
  );
};

const NameField = ({ query, onClose }: { readonly query: string; readonly onClose: () => void }) => {
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const save = (): void => {
    const name = field.current?.value.trim() ?? '';
    if (name === '') return onClose();
    saveFilter(name, query).then(onClose, (thrown: unknown) => setRefused(problemOf(thrown).message));
  };
  return (
    <label class="filter line gaps-6 small-text faint paper field-box runs-name">
      <span class="sr">The name of the filter</span>
      <input
        ref={(element) => {
          if (field.current === null) element?.focus();
          field.current = element;
        }}
        dir="auto"
        type="text"
        maxLength={60}
        placeholder="Name, then ↵"
        autocomplete="off"
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
          else if (event.key !== 'Escape') return;
          else onClose();
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {refused !== undefined && (
        <span class="bad-words" role="alert">
          {refused}
        </span>
      )}
    </label>
  );
};
