/* The formats of an exported history, for the server and the command line. */

export const exportFiles = {
  json: { extension: 'json', mediaType: 'application/json', use: 'one document with every field' },
  har: { extension: 'har', mediaType: 'application/har+json', use: 'a HAR 1.2 capture' },
  ndjson: { extension: 'ndjson', mediaType: 'application/x-ndjson', use: 'one event a line' },
  csv: { extension: 'csv', mediaType: 'text/csv', use: 'for spreadsheets' },
  curl: { extension: 'sh', mediaType: 'application/x-sh', use: 'a shell script that sends the events again' },
} as const satisfies Record<string, { extension: string; mediaType: string; use: string }>;
export const exportFormats = Object.keys(exportFiles) as (keyof typeof exportFiles)[];

export const exportUses = Object.entries(exportFiles)
  .map(([format, { use }]) => `${format}: ${use}`)
  .join('; ');
