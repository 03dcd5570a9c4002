/* The engine over the whole catalog. */
import * as catalog from './catalog.ts';
import { createPlatforms } from './engine/create-platforms.ts';
import { genericSchemes } from './generic-schemes.ts';

export const {
  platforms,
  findPlatform,
  detect,
  deliveryIdOf,
  eventTypeOf,
  highlightsOf,
  verify,
  validSchemes,
  examine,
  explain,
  sign,
  mustVerifyAtCapture,
  handshake,
  mayDefer,
  parseSecret,
} = createPlatforms({
  platforms: Object.values(catalog).sort((a, b) => (a.name < b.name ? -1 : 1)),
  genericSchemes,
});
