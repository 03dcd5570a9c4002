/* Sample commands that send a JSON webhook to a new endpoint. */

import { shellWord } from './shell.ts';

const sampleBody = '{"hello":"world"}';

export type Sample = { id: 'curl' | 'powershell' | 'httpie'; label: string; text: string };

export const samplesFor = (url: string): Sample[] => [
  {
    id: 'curl',
    label: 'curl',
    text: `curl ${shellWord(url)} -H 'content-type: application/json' -d ${shellWord(sampleBody)}`,
  },
  {
    id: 'powershell',
    label: 'PowerShell',
    text: `Invoke-RestMethod ${powershellWord(url)} -Method Post -ContentType application/json -Body ${powershellWord(sampleBody)}`,
  },
  { id: 'httpie', label: 'HTTPie', text: `http POST ${shellWord(url)} hello=world` },
];

/** A PowerShell string literal. PowerShell also accepts typographic quotes, so they are doubled too. */
export const powershellWord = (text: string): string => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
