/* The engine over a catalog: nothing here or in the files it uses knows a platform by name. */
import { createDeferral } from './deferral.ts';
import { readDeliveryId } from './delivery-id.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import { createDetector } from './detect.ts';
import { createExplainer } from './explain.ts';
import { createHandshake } from './handshake.ts';
import { createHighlights } from './highlights.ts';
import type { DeliveryId, RawDelivery } from './model.ts';
import type { Platform } from './platform.ts';
import { createPlatformIndex } from './platform-index.ts';
import { createSecretParser } from './secrets.ts';
import { createSigner } from './sign.ts';
import type { SignatureScheme } from './signature-scheme.ts';
import { createVerifier } from './verify.ts';

/** `genericSchemes`: tried on signed deliveries of unknown platforms. */
export function createPlatforms(catalog: {
  platforms: readonly Platform[];
  genericSchemes: readonly SignatureScheme[];
}) {
  const index = createPlatformIndex(catalog.platforms);
  const { detect, refineByRegistered } = createDetector(index);
  const { verify, validSchemes, schemesOf, mustVerifyAtCapture } = createVerifier({
    index,
    refineByRegistered,
    genericSchemes: catalog.genericSchemes,
  });
  const handshake = createHandshake({ index, verify });
  const parseSecret = createSecretParser(index);
  return {
    platforms: index.all,
    findPlatform: index.find,
    detect,
    /** The id of a stored delivery, whose platform is known: as `detect` found it. Header rules do not change it. */
    deliveryIdOf(delivery: RawDelivery, platform: string | null): DeliveryId | undefined {
      const row = platform === null ? undefined : index.find(platform);
      return row && readDeliveryId(row, createDeliveryReader(delivery));
    },
    highlightsOf: createHighlights(index),
    verify,
    validSchemes,
    /** With a secret that the caller brings, never a stored one. */
    explain: createExplainer({ index, schemesOf }),
    sign: createSigner({ index, genericSchemes: catalog.genericSchemes }),
    mustVerifyAtCapture,
    handshake,
    mayDefer: createDeferral(index),
    parseSecret,
  };
}
