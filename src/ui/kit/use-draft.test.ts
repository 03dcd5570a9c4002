import { afterEach, expect, test } from 'bun:test';
import { keepDraft, keptDraft } from './use-draft.ts';

const fake = (stored: Record<string, string>): void => {
  const storage = {
    getItem: (name: string) => stored[name] ?? null,
    setItem(name: string, value: string) {
      stored[name] = value;
    },
    removeItem: (name: string) => delete stored[name],
  };
  Object.defineProperty(globalThis, 'sessionStorage', { value: storage, configurable: true });
};
afterEach(() => Reflect.deleteProperty(globalThis, 'sessionStorage'));

test('a draft is kept until it is forgotten', () => {
  fake({});
  expect(keptDraft('form')).toBeNull();
  keepDraft('form', { name: 'Orders' });
  expect(keptDraft('form')).toEqual({ name: 'Orders' });
  keepDraft('form', undefined);
  expect(keptDraft('form')).toBeNull();
});

test('without storage, and with a damaged text in it, there is no draft', () => {
  keepDraft('form', {});
  expect(keptDraft('form')).toBeNull();
  fake({ 'hooktape.draft.form': '{"name":' });
  expect(keptDraft('form')).toBeNull();
});
