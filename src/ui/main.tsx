/* The entry point of the dashboard. Applies the theme before the first paint. */

import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme, currentTheme } from './kit/preferences.ts';

applyTheme(currentTheme());
const root = document.getElementById('app');
if (root) render(<App />, root);
