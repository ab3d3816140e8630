// The type of a picture or a document, by the first bytes of the file. Neither its name nor what a sender says counts.

export type MediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'application/pdf';

/** The bytes that each type begins with, in hex. `..` is any byte. */
const SIGNATURES: readonly (readonly [MediaType, string])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '474946383761'],
  ['image/gif', '474946383961'],
  ['image/webp', '52494646........57454250'],
  ['application/pdf', '255044462d'],
];

/** Undefined for a file of any other type. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | undefined {
  return SIGNATURES.find(([, signature]) => beginsWith(bytes, signature))?.[0];
}

function beginsWith(bytes: Uint8Array, signature: string): boolean {
  const parts = signature.match(/../g) ?? [];
  return parts.every((part, index) =>
    part === '..' ? index < bytes.length : bytes[index] === Number.parseInt(part, 16),
  );
}
