/* The engine over a catalog. Neither this file nor the files that it uses name any platform. */
import { createDeferral } from './deferral.ts';
import { readDeliveryId } from './delivery-id.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import { createDetector } from './detect.ts';
import { readEventType } from './event-type.ts';
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

/** Creates the value at the first call. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** Creates the function at its first call, so that indexing all platforms costs nothing until a delivery needs it. */
function lazy<Args extends unknown[], Result>(make: () => (...args: Args) => Result): (...args: Args) => Result {
  const made = once(make);
  return (...args) => made()(...args);
}

/** `genericSchemes`: the schemes to try for signed deliveries of unknown platforms. */
export function createPlatforms({
  platforms,
  genericSchemes,
}: {
  platforms: readonly Platform[];
  genericSchemes: readonly SignatureScheme[];
}) {
  const index = createPlatformIndex(platforms);
  const detector = once(() => createDetector(index));
  const verifier = once(() =>
    createVerifier({ index, refineByRegistered: detector().refineByRegistered, genericSchemes }),
  );
  const verify = lazy(() => verifier().verify);
  const explainer = once(() => createExplainer({ index, schemesOf: verifier().schemesOf }));
  return {
    platforms: index.all,
    findPlatform: index.find,
    detect: lazy(() => detector().detect),
    /** The id of a stored delivery with a known platform, the same as `detect` found. Header rules do not change it. */
    deliveryIdOf(delivery: RawDelivery, platform: string | null): DeliveryId | undefined {
      const row = platform === null ? undefined : index.find(platform);
      return row && readDeliveryId(row, createDeliveryReader(delivery));
    },
    /** The event type of a stored delivery with a known platform, the same as `detect` found. */
    eventTypeOf: (delivery: RawDelivery, platform: string | null): string | null =>
      readEventType(platform === null ? undefined : index.find(platform), createDeliveryReader(delivery)),
    highlightsOf: lazy(() => createHighlights(index)),
    verify,
    validSchemes: lazy(() => verifier().validSchemes),
    /** Uses a secret that the caller passes, never a stored one. */
    explain: lazy(() => explainer().explain),
    /** Explains in steps, and tries stored secrets on the delivery. */
    examine: lazy(() => explainer().examine),
    sign: lazy(() => createSigner(index, genericSchemes)),
    mustVerifyAtCapture: lazy(() => verifier().mustVerifyAtCapture),
    handshake: lazy(() => createHandshake({ index, verify })),
    mayDefer: lazy(() => createDeferral(index)),
    parseSecret: createSecretParser(index),
  };
}
