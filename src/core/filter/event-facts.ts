/* The facts about an event that filters use. */
import type { Verdict } from '../../shared/filter/filter.ts';
import type { EventContent } from './event-content.ts';

export type EventFacts = {
  type: string | null;
  /** In lower case. */
  platform: string | null;
  method: string | null;
  path: string;
  receivedAt: number;
  /** Bytes of the body. */
  size: number;
  sourceIp: string;
  verdict: Verdict;
  /** From 1. */
  attempt: number;
  /** The status of the response to the sender; null without one. */
  answered: number | null;
  tags: readonly string[];
  isPinned: boolean;
  isReplayed: boolean;
  isEdited: boolean;
  isRefused: boolean;
  isRedacted: boolean;
  content: EventContent;
};
