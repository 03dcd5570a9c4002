/* Schemas of requests that keep events: pins and tags. */

import { type Static, Type as t } from '@sinclair/typebox';
import { pinFields, Tags } from '../../core/events/marks-schema.ts';
import { EventSummary } from '../events/model.ts';

export const PinRequest = t.Object(pinFields, {
  title: 'PinRequest',
  examples: [{ name: 'golden', note: 'the first paid order' }],
});
export type PinRequest = Static<typeof PinRequest>;

export const TagsRequest = t.Object({ tags: Tags }, { title: 'TagsRequest', examples: [{ tags: ['checkout'] }] });
/** The event after the change. */
export const KeptEvent = EventSummary;

export type TagsRequest = Static<typeof TagsRequest>;
