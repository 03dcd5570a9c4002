/* The callbacks that have answered the challenge, by their app and the hash of their URL. */
import { and, eq, lte, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { mcpCallbacks } from '../../db/schema-queues.ts';

export function createCallbacksStore(db: Drizzle) {
  const ofApp = (appId: string, url: Uint8Array) =>
    and(eq(mcpCallbacks.appId, appId), eq(mcpCallbacks.urlHash, Buffer.from(url)));

  return {
    isVerified: async (appId: string, urlHash: Uint8Array): Promise<boolean> =>
      (await db.select({ at: mcpCallbacks.verifiedAt }).from(mcpCallbacks).where(ofApp(appId, urlHash))).length > 0,
    async saveVerified(appId: string, urlHash: Uint8Array, now: number): Promise<void> {
      await db.run(sql`INSERT OR IGNORE INTO mcp_callbacks (app_id, url_hash, verified_at)
        SELECT id, ${Buffer.from(urlHash)}, ${now} FROM connected_apps WHERE id = ${appId}`);
    },
    /** Forgets callbacks of apps without a subscription that were verified before a time. */
    async removeOldVerified(before: number): Promise<void> {
      const unused = sql`NOT EXISTS (SELECT 1 FROM mcp_subscriptions WHERE mcp_subscriptions.app_id = ${mcpCallbacks.appId})`;
      await db.delete(mcpCallbacks).where(and(lte(mcpCallbacks.verifiedAt, before), unused));
    },
  };
}
