/* User preferences in localStorage: theme, pane width, replay destinations. Without storage they are not kept. */

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
