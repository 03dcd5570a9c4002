/* The settings of forwards between their columns and their meaning, for the API and for files that declare them. */

import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import type { ForwardSettings } from '../../shared/forwards.ts';
import type { ForwardRow } from './store.ts';
import { toSettings } from './view.ts';

export type ForwardColumns = ReturnType<typeof createForwardColumns>;

export function createForwardColumns(sealer: Sealer) {
  /** Undefined if they cannot be decrypted, because the secret of the server has changed. */
  const openHeaders = ({ id, headers }: Pick<ForwardRow, 'id' | 'headers'>): [string, string][] | undefined => {
    const text = sealer.open(headers, sealPurpose.forward(id));
    return text === undefined ? undefined : (JSON.parse(text) as [string, string][]);
  };
  return {
    openHeaders,
    settings: (row: ForwardRow): ForwardSettings => toSettings(row, openHeaders(row) ?? []),
    columns: (id: string, { where, orderBy, headers, ...settings }: ForwardSettings) => ({
      ...settings,
      name: Buffer.from(settings.name),
      url: Buffer.from(settings.url),
      filter: Buffer.from(where),
      orderBy: orderBy === null ? null : Buffer.from(orderBy),
      headers: Buffer.from(sealer.seal(JSON.stringify(headers), sealPurpose.forward(id))),
    }),
  };
}
