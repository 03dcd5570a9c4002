/* Deletes expired codes, requests and grants, apps without a grant, and clients that no account is connected to. */
import type { Client } from '@libsql/client';

/** The most rows of one table that a batch deletes. */
const batchRows = 500;

/** Rows last used or ended before these times are deleted. */
type CleanupCutoffs = { clients: number; documents: number; grants: number };

export function createCleanupStore(client: Pick<Client, 'batch'>) {
  return {
    /** Deletes at most 500 rows of each table. @returns whether there may be more */
    async deleteBatch(now: number, olderThan: CleanupCutoffs): Promise<boolean> {
      const unconnected = `NOT EXISTS (SELECT 1 FROM connected_apps a WHERE a.client_id = c.id AND a.issuer = '')`;
      const results = await client.batch(
        [
          {
            sql: `DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes
                  WHERE expires_at < ? LIMIT ${batchRows})`,
            args: [olderThan.grants],
          },
          {
            sql: `DELETE FROM authz_requests WHERE hash IN (SELECT hash FROM authz_requests
                  WHERE expires_at <= ? LIMIT ${batchRows})`,
            args: [now],
          },
          {
            sql: `DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants
                  WHERE expires_at <= ? OR revoked_at < ? LIMIT ${batchRows})`,
            args: [now, olderThan.grants],
          },
          {
            sql: `DELETE FROM connected_apps WHERE id IN (SELECT id FROM connected_apps a WHERE a.issuer = ''
                  AND a.created_at < ? AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.app_id = a.id) LIMIT ${batchRows})`,
            args: [olderThan.grants],
          },
          {
            sql: `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients c WHERE disabled_at IS NULL AND
                  ((kind = 'dcr' AND created_at < ?) OR (kind = 'cimd' AND fetched_at < ?)) AND ${unconnected} LIMIT ${batchRows})`,
            args: [olderThan.clients, olderThan.documents],
          },
        ],
        'write',
      );
      return results.some(({ rowsAffected }) => rowsAffected >= batchRows);
    },
  };
}
