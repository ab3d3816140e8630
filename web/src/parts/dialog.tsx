// A dialog over the screen. It takes the focus, keeps it, and gives it back to where it was opened from.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useKeys } from '../app/keys.ts';
import { Key } from './controls.tsx';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly narrow?: boolean;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly onClose: () => void;
}

const CAN_HAVE_FOCUS = 'a[href], button, input, textarea, select, [tabindex]:not([tabindex="-1"])';

export const Dialog = ({ title, aside, narrow = false, children, footer, onClose }: Props) => {
  const box = useRef<HTMLDivElement>(null);
  useFocusInside(box);
  useKeys(
    useMemo(
      () => [
        {
          keys: 'Escape',
          does: 'close',
          run: () => onClose(),
        },
      ],
      [onClose],
    ),
  );
  return (
    <div
      class="veil"
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div
        ref={box}
        class={narrow ? 'dialog stack paper narrow' : 'dialog stack paper'}
        role="dialog"
        aria-modal="true"
        aria-label={title}
      >
        <div class="dialog-head line gaps-10 ruled">
          <h2 class="title">{title}</h2>
          {aside}
          <span class="grow" />
          <button type="button" class="btn bare small" onClick={onClose}>
            <span class="sr">Close</span>
            <Icon name="close" />
            <Key keys="Escape" />
          </button>
        </div>
        <div class="body scrolls">{children}</div>
        {footer !== undefined && <div class="inset line gaps ruled-above ground">{footer}</div>}
      </div>
    </div>
  );
};

/**
 * Focus goes to what asks for it (`data-first`), else to the first field, and back when the box is gone. It goes there
 * with the box, so that a key that is pressed at once is not lost.
 */
export function useFocusInside(box: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    const inside = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>(CAN_HAVE_FOCUS) ?? [])];
    const wanted = box.current?.querySelector<HTMLElement>('[data-first], input, textarea, select');
    (wanted ?? inside().at(-1))?.focus();
    const keep = (event: KeyboardEvent): void => {
      if (event.key !== 'Tab') return;
      const all = inside();
      const [first, last] = [all[0], all.at(-1)];
      if (event.shiftKey && document.activeElement === first) {
        event.preventDefault();
        last?.focus();
      } else if (!event.shiftKey && document.activeElement === last) {
        event.preventDefault();
        first?.focus();
      }
    };
    const element = box.current;
    element?.addEventListener('keydown', keep);
    return () => {
      element?.removeEventListener('keydown', keep);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [box]);
}
