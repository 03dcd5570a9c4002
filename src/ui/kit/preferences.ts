/* User preferences in localStorage: theme, pane width, replay destinations. Without storage they are not kept. */

import { useEffect, useState } from 'preact/hooks';

export const savePreference = (name: string, value: string): void => {
  try {
    localStorage.setItem(`hooktape.${name}`, value);
  } catch {
    // Storage is full or not allowed.
  }
};

export const loadPreference = (name: string): string | undefined => {
  try {
    return localStorage.getItem(`hooktape.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
};

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
