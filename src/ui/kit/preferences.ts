/* User preferences in localStorage: theme, pane width, replay destinations. Storage may be full or not allowed: then they are not kept. */

import { useEffect, useState } from 'preact/hooks';
import { attempt } from './attempt.ts';

export const savePreference = (name: string, value: string): void =>
  attempt(() => localStorage.setItem(`hooktape.${name}`, value));

export const loadPreference = (name: string): string | undefined =>
  attempt(() => localStorage.getItem(`hooktape.${name}`)) ?? undefined;

/** A preference that is JSON, which an older version may have written differently. */
export const loadJson = (name: string): unknown => attempt(() => JSON.parse(loadPreference(name) ?? 'null'));

/** A choice that is kept: all components that use it change together. */
export function createSwitch(name: string) {
  let isOn = loadPreference(name) === 'yes';
  const listeners = new Set<() => void>();
  return {
    isOn: (): boolean => isOn,
    toggle(): void {
      isOn = !isOn;
      savePreference(name, isOn ? 'yes' : 'no');
      for (const listener of [...listeners]) listener();
    },
    useValue(): boolean {
      const [value, setValue] = useState(isOn);
      useEffect(() => {
        const listener = (): void => setValue(isOn);
        listeners.add(listener);
        listener();
        return () => void listeners.delete(listener);
      }, []);
      return value;
    },
  };
}

export type Theme = 'system' | 'light' | 'dark';

export const currentTheme = (): Theme => {
  const stored = loadPreference('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
};

export const applyTheme = (theme: Theme): void => {
  savePreference('theme', theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};
