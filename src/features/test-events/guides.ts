/* The guide to connect a platform, from the catalog: where to enter the URL, where to find the secret, and the samples. */
import type { Platform } from '../../platforms/engine/platform.ts';
import { acceptedKeyFormats } from '../../platforms/engine/secrets.ts';
import { canTestSign } from '../../platforms/engine/test-secret.ts';
import { platforms } from '../../platforms/platforms.ts';
import { samplesOf, wellKnown } from '../../platforms/samples.ts';
import type { PlatformGuide } from './model.ts';

/** The well-known platforms in their order, then the others by title. */
export const listGuides = (): PlatformGuide[] => {
  const rank = new Map(wellKnown.map((name, at) => [name, at]));
  const rankOf = ({ name }: Platform): number => rank.get(name) ?? rank.size;
  return [...platforms].sort((a, b) => rankOf(a) - rankOf(b) || a.title.localeCompare(b.title, 'en')).map(guideOf);
};

const guideOf = (platform: Platform): PlatformGuide => {
  const { name, title, docsUrl, setup = null, signatures, secretHint } = platform;
  return {
    name,
    title,
    docsUrl,
    setup,
    secretHint: acceptedKeyFormats(platform).length > 0 ? secretHint : null,
    samples: samplesOf(platform).map(sample => ({ name: sample.name, title: sample.title })),
    signing: signatures.length === 0 ? 'none' : canTestSign(platform) ? 'signed' : 'unsigned',
  };
};
