/* Whether long lines are wrapped: remembered, for trees and for text each. */

import { useState } from 'preact/hooks';
import { loadPreference, savePreference } from '../../kit/preferences.ts';

export type WrapKind = 'tree' | 'text';

const isWrappedAtFirst: Record<WrapKind, boolean> = { tree: false, text: true };

export function useWrap() {
  const [changed, setChanged] = useState<Partial<Record<WrapKind, boolean>>>({});
  const isWrapped = (kind: WrapKind): boolean => changed[kind] ?? loadWrap(kind);
  return {
    isWrapped,
    toggle(kind: WrapKind): void {
      const next = !isWrapped(kind);
      savePreference(`wrap-${kind}`, next ? 'on' : 'off');
      setChanged({ ...changed, [kind]: next });
    },
  };
}

const loadWrap = (kind: WrapKind): boolean => {
  const stored = loadPreference(`wrap-${kind}`);
  return stored === undefined ? isWrappedAtFirst[kind] : stored === 'on';
};
