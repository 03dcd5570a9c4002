/* Small choices that stay in this browser: theme, pane width, replay destination. A browser without storage only forgets sooner. */

export const savePreference = (name: string, value: string): void => {
  try {
    localStorage.setItem(`hooktape.${name}`, value);
  } catch {
    // Storage is full or forbidden; the choice holds for this page.
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
  const kept = loadPreference('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};

export const applyTheme = (theme: Theme): void => {
  savePreference('theme', theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};
