// The signal that stops work under way and says why. An AbortSignal is one; the world has a lighter one of its own.

export type StopListener = (() => void) | { handleEvent(): void };

export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: StopListener, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: StopListener): void;
}
