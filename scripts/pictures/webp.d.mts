import type { Browser } from 'playwright-core';

interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly webp: string;
}

interface Encoder {
  part(png: Buffer, quality?: number): Promise<Part | undefined>;
  close(): Promise<void>;
}

export function encoder(browser: Browser): Promise<Encoder>;
export function animated(
  size: { readonly width: number; readonly height: number },
  frames: readonly (Part & { readonly ms: number })[],
): Buffer;
