import { expect, test } from 'vitest';
import { abortFault, cancelledBy, childStop, nativeSignal, Stop } from './abort.ts';

test('the first reason counts, and each listener hears it once', () => {
  const stop = new Stop();
  const heard: string[] = [];
  const removed = () => heard.push('removed');
  stop.addEventListener('abort', () => heard.push('function'));
  stop.addEventListener('abort', { handleEvent: () => heard.push('object') });
  stop.addEventListener('abort', removed);
  stop.removeEventListener('abort', removed);
  stop.abort(cancelledBy('first'));
  stop.abort(cancelledBy('second'));
  expect(heard).toEqual(['function', 'object']);
  expect(abortFault(stop)).toEqual({ code: 'cancelled', message: 'first' });
});

test('a native signal follows, whether it is asked for before or after', () => {
  const before = new Stop();
  const asked = nativeSignal(before);
  const after = new Stop();
  const why = cancelledBy('enough');
  for (const stop of [before, after]) stop.abort(why);
  for (const signal of [asked, nativeSignal(before), nativeSignal(after)]) {
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(signal).toMatchObject({ aborted: true, reason: why });
  }
  expect(nativeSignal(before)).toBe(asked);
});

test('a child ends with its parent, and not the other way round', () => {
  const parent = new Stop();
  const [one, other, unlinked] = [childStop(parent), childStop(parent), childStop(parent)];
  one.signal.abort(cancelledBy('alone'));
  unlinked.unlink();
  expect([parent.aborted, other.signal.aborted]).toEqual([false, false]);
  parent.abort(cancelledBy('all'));
  expect(abortFault(one.signal).message).toBe('alone');
  expect(abortFault(other.signal).message).toBe('all');
  expect(unlinked.signal.aborted).toBe(false);
  expect(abortFault(childStop(parent).signal).message).toBe('all');
});
