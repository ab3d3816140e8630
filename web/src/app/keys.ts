// The keyboard: who is on the screen says which keys do what, and the last one that was mounted is asked first. Inside
// a text field only chords and Escape count. Nothing that spends, ends or permits hangs on a bare letter.

import { useLayoutEffect } from 'preact/hooks';

export interface KeyBinding {
  /** `k`, `shift+e`, `mod+k` (⌘ or Ctrl), `g r` (one after the other), `Escape`, `ArrowDown`. Several with `|`. */
  readonly keys: string;
  readonly does: string;
  /** False: the key was not meant for this one, and the next is asked. */
  readonly run: (event: KeyboardEvent) => boolean | void;
  /** Counts in text fields, too. Chords with `mod` and Escape always do. */
  readonly inFields?: boolean;
}

type Bindings = () => readonly KeyBinding[];

const stack: Bindings[] = [];
let prefix: { readonly key: string; readonly at: number } | undefined;

/** The bindings of this moment, those asked first at the front: the page `?` shows them. */
export const boundKeys = (): readonly KeyBinding[] => stack.toReversed().flatMap((bindings) => bindings());

/** Bound as soon as what they belong to is on the screen: a key that is pressed at once counts. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useLayoutEffect(() => {
    const mine: Bindings = () => bindings;
    stack.push(mine);
    return () => {
      stack.splice(stack.indexOf(mine), 1);
    };
  }, [bindings]);
}

const PREFIX_MS = 1200;

/** The name of what was pressed, as bindings say it. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>): string {
  const { key } = event;
  const letter = /^[a-z]$/i.test(key);
  const named = letter ? key.toLowerCase() : key === ' ' ? 'Space' : key;
  const shifted = event.shiftKey && (letter || key.length > 1);
  return `${event.metaKey || event.ctrlKey ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${shifted ? 'shift+' : ''}${named}`;
}

/** True if the focused element takes the key itself. */
function takes(target: EventTarget | null, name: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(?:Arrow|Home$|End$|Page)/.test(name);
  if (target instanceof HTMLInputElement && /^(?:checkbox|radio|button)$/.test(target.type)) return name === 'Space';
  if (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement)
    return name === 'Enter' || (name === 'Space' && target instanceof HTMLButtonElement);
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT|SUMMARY)$/.test(target.tagName);
}

export function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = keyName(event);
  const inField = !name.startsWith('mod+') && name !== 'Escape' && takes(event.target, name);
  const before = prefix !== undefined && event.timeStamp - prefix.at < PREFIX_MS ? `${prefix.key} ${name}` : undefined;
  prefix = undefined;
  for (const binding of boundKeys()) {
    if (inField && binding.inFields !== true) continue;
    const keys = binding.keys.split('|');
    if (!(before !== undefined && keys.includes(before)) && !keys.includes(name)) continue;
    if (binding.run(event) === false) continue;
    event.preventDefault();
    return;
  }
  if (!inField && boundKeys().some(({ keys }) => keys.split('|').some((one) => one.startsWith(`${name} `))))
    prefix = { key: name, at: event.timeStamp };
}

export const startKeys = (): void => addEventListener('keydown', pressed);

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

const SHOWN: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Backspace: '⌫',
  Enter: '↵',
};

/** A key as a person reads it: `⌘K` on a Mac, `Ctrl K` elsewhere. */
export function shownKey(keys: string): string {
  return (keys.split('|')[0] ?? '')
    .split(' ')
    .map((chord) => {
      const parts = chord.split('+');
      const key = parts.pop() ?? '';
      const modifiers = parts.map((one) => (one === 'shift' ? '⇧' : one === 'mod' ? (isMac() ? '⌘' : 'Ctrl ') : '⌥'));
      return modifiers.join('') + (SHOWN[key] ?? (key.length === 1 ? key.toUpperCase() : key));
    })
    .join(' ');
}
