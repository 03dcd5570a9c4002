/*
 * Test events: samples of a platform, signed, stored and responded to like any delivery. A registered secret never signs one: the
 * secret comes with the request, or is a test secret, which only this server knows. The guard accepts them, because the
 * credentials of the request permit them.
 */

import type { TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, invalid } from '../../core/errors.ts';
import { type HeaderPair, lowerName, toFieldLines } from '../../core/headers.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { splitTarget } from '../../core/network/request-target.ts';
import type { CaptureService, IngestAddress } from '../../ingest/capture.ts';
import type { Platform } from '../../platforms/engine/platform.ts';
import { createFresh, type Sample, type SampleRequest } from '../../platforms/engine/sample.ts';
import { canTestSign, createTestSecret, testEventHeader } from '../../platforms/engine/test-secret.ts';
import { findPlatform, parseSecret, platforms, sign } from '../../platforms/platforms.ts';
import { didYouMean } from '../../shared/suggest.ts';
import type { PlatformGuide, TestEvent, TestEventInput } from './model.ts';

type Options = {
  /** @throws not_found */
  endpoint: (principal: Pick<TeamAccess, 'teamId'>, id: string) => Promise<IngestAddress & { pausedAt: number | null }>;
  /** The address as the ingest path knows it, with the endpoint's rules. */
  findAddress: (token: string) => IngestAddress | undefined | Promise<IngestAddress | undefined>;
  urlOf: (token: string) => string;
  /** The endpoint's test secret of a platform: `create` makes it at the first use. */
  testSecret: (endpoint: number, platform: string, create: () => string) => Promise<{ id: string; secret: string }>;
  record: CaptureService['record'];
  clock: Clock;
  random: RandomBytes;
};

export type TestEventsService = ReturnType<typeof createTestEventsService>;

export function createTestEventsService({ endpoint, findAddress, urlOf, testSecret, record, clock, random }: Options) {
  /** Null if the platform's samples are not signed. @throws invalid for the given secret */
  const secretFor = async (
    seq: number,
    platform: Platform,
    given: string | undefined,
  ): Promise<{ id: string | null; secret: string } | null> => {
    if (given !== undefined) {
      if (!canTestSign(platform)) throw invalid(`${whyUnsigned(platform)}: send the sample without a secret`);
      const read = parseSecret(platform.name, given);
      if ('error' in read) throw invalid(read.error);
      return { id: null, secret: read.secret };
    }
    if (!canTestSign(platform)) return null;
    return testSecret(seq, platform.name, () => createTestSecret(platform, random));
  };

  return {
    /** The platforms with their guides and samples. */
    async platforms(): Promise<PlatformGuide[]> {
      return (await import('./guides.ts')).listGuides();
    },

    /**
     * @param sourceIp the address of the client that asks for the event
     * @throws not_found for the endpoint, conflict when it is paused, invalid for platform, sample and secret, unavailable
     */
    async send(
      principal: Pick<TeamAccess, 'teamId'>,
      endpointId: string,
      { platform: name, sample: sampleName, secret: given }: TestEventInput,
      sourceIp: string,
    ): Promise<TestEvent> {
      const { seq, token, pausedAt } = await endpoint(principal, endpointId);
      if (pausedAt !== null)
        throw conflict('the endpoint is paused and stores nothing: resume it to send a test event');
      const platform = findPlatform(name);
      if (!platform) throw invalid(unknownPlatform(name));
      const sample = await findSample(platform, sampleName);
      const signing = await secretFor(seq, platform, given);
      const now = clock.now();
      const request = sample.build(createFresh(now, random));
      const url = urlOf(token);
      const delivery = deliveryOf(request, { url, platform, secret: signing?.secret, now });
      const address = (await findAddress(token)) ?? { seq, token };
      const { id, chosen } = await record(address, { ...delivery, sourceIp, receivedAt: now });
      // The response is stored with the event. No sender waits for it, so it does not count as a delayed response.
      chosen?.hold?.release();
      const { id: secretId = null } = signing ?? {};
      return { eventId: id, platform: platform.name, sample: sample.name, signed: signing !== null, secretId };
    },
  };
}

/** @throws invalid */
async function findSample(platform: Platform, name: string | undefined): Promise<Sample> {
  // Samples are loaded at the first use: deliveries do not need them.
  const { samplesOf } = await import('../../platforms/samples.ts');
  const samples = samplesOf(platform);
  const sample = name === undefined ? samples[0] : samples.find(one => one.name === name);
  if (sample) return sample;
  if (samples.length === 0)
    throw invalid(
      `${platform.title} is recognised by its signature, which only ${platform.title} can make: there is no sample`,
    );
  throw invalid(`unknown sample of ${platform.title}: it has ${samples.map(one => one.name).join(', ')}`);
}

const whyUnsigned = ({ title, signatures }: Platform): string =>
  signatures.length === 0
    ? `${title} does not sign its deliveries`
    : `${title} signs with a private key that only it has`;

type Target = { url: string; platform: Platform; secret: string | undefined; now: number };

/** The sample as it would have arrived. @throws invalid for a secret that cannot sign */
function deliveryOf(
  { method, path, query, headers, body: text }: SampleRequest,
  { url, platform, secret, now }: Target,
) {
  const target = `${url}${path}${query === null ? '' : `?${query}`}`;
  let sent: { url: string; headers: readonly HeaderPair[]; body: Uint8Array } = {
    url: target,
    headers,
    body: Buffer.from(text),
  };
  if (secret !== undefined) {
    const signed = sign({ platform: platform.name, secret, method, url: target, headers, body: sent.body, at: now });
    if ('cannotSign' in signed) throw invalid(signed.cannotSign);
    sent = signed;
  }
  const pairs: HeaderPair[] = [
    ['Host', new URL(url).host],
    ...sent.headers.filter(([name]) => lowerName(name) !== 'content-length'),
    ['Content-Length', String(sent.body.length)],
    [testEventHeader, '1'],
  ];
  return {
    method,
    path,
    query: splitTarget(sent.url).query,
    fields: toFieldLines(pairs.flat()),
    body: sent.body,
  };
}

function unknownPlatform(name: string): string {
  const names = platforms.map(platform => platform.name);
  return `unknown platform: GET /api/platforms lists them${didYouMean(name.toLowerCase(), names)}`;
}
