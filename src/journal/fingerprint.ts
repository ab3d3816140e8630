// Fingerprints: what an op asked for, in 16 characters. A conversation's are chained (previous + what is new), so
// that hashing a session stays linear in its length.

import { hash } from 'node:crypto';

export const fingerprint = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);

export const digest = (text: string): string => hash('sha256', text, 'hex');

/** Names what a person is asked at an op: a verdict gives it back, and counts for nothing else. */
export const approvalDigest = (prompt: string, about: unknown): string => digest(JSON.stringify([prompt, about]));
