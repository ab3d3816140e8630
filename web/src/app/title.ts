// The title of the tab: `✕ front-desk · 3.8s`, so that a tab in the background tells when it is done. The screen that
// is shown sets it.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const title = signal('Cadre');

export function useTitle(text: string): void {
  useEffect(() => {
    title.value = text;
    return () => {
      title.value = 'Cadre';
    };
  }, [text]);
}
