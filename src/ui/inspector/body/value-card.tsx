/* Explains a value: opened by resting the pointer on it, or by key, which moves the focus into it. Decoded content is shown as text only. */

import type { ComponentChildren, RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../../kit/copy-button.tsx';
import { formatBytes, formatExactTime } from '../../kit/format/time.ts';
import { cut, visibleText } from '../../kit/format/visible.ts';
import type { Explanation } from './explain.ts';
import { prettyText } from './json.ts';

const openAfterMs = 350;
const closeAfterMs = 250;
const maxShownCharacters = 4000;
const gap = 6;

type Shown = { anchor: Element; explanation: Explanation; hasFocus: boolean };

/** `explanationOf`: of an element with `data-explain`. */
export function useValueCard(explanationOf: (element: HTMLElement) => Explanation | undefined) {
  const [shown, setShown] = useState<Shown>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const before = useRef<Element | null>(null);
  const latest = useRef(explanationOf);
  latest.current = explanationOf;
  const wait = (run: () => void, ms: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, ms);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const close = useCallback((): void => {
    clearTimeout(timer.current);
    setShown(undefined);
  }, []);
  const closeByKey = (): void => {
    const isInside = shown?.hasFocus === true;
    close();
    if (isInside && before.current instanceof HTMLElement) before.current.focus();
  };
  const open = (anchor: Element, explanation: Explanation): void => {
    clearTimeout(timer.current);
    before.current = document.activeElement;
    setShown({ anchor, explanation, hasFocus: true });
  };
  const explained = (event: Event): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>('[data-explain]') : null;

  return {
    open,
    close,
    hover: {
      onPointerOver: (event: PointerEvent): void => {
        const anchor = explained(event);
        if (!anchor || event.pointerType !== 'mouse' || shown?.hasFocus) return;
        wait(() => {
          const explanation = latest.current(anchor);
          if (explanation && anchor.isConnected) setShown({ anchor, explanation, hasFocus: false });
        }, openAfterMs);
      },
      onPointerOut: (event: PointerEvent): void => {
        if (explained(event) && !shown?.hasFocus) wait(close, closeAfterMs);
      },
    },
    card: shown && (
      <ValueCard
        {...shown}
        onEscape={closeByKey}
        onElsewhere={close}
        onEnter={() => clearTimeout(timer.current)}
        onLeave={() => !shown.hasFocus && wait(close, closeAfterMs)}
      />
    ),
  };
}

type ValueCardProps = Shown & {
  onEscape: () => void;
  onElsewhere: () => void;
  onEnter: () => void;
  onLeave: () => void;
};

function ValueCard({ anchor, explanation, hasFocus, onEscape, onElsewhere, onEnter, onLeave }: ValueCardProps) {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (card.current) place(card.current, anchor);
    if (hasFocus) card.current?.focus();
  }, [anchor, hasFocus]);
  useDismissal(card, onEscape, onElsewhere);
  return (
    <div
      ref={card}
      class="value-card popup col tight breaks"
      role="dialog"
      aria-label={titles[explanation.kind]}
      tabIndex={-1}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      <strong>{titles[explanation.kind]}</strong>
      <Explained explanation={explanation} />
    </div>
  );
}

/** Below the value, or above it where there is more room; inside the window. */
function place(card: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const isAbove = at.bottom + gap + height > innerHeight && at.top > innerHeight - at.bottom;
  const top = isAbove ? at.top - gap - height : at.bottom + gap;
  card.style.top = `${Math.max(gap, Math.min(top, innerHeight - height - gap))}px`;
  card.style.left = `${Math.max(gap, Math.min(at.left, innerWidth - width - gap))}px`;
}

/** Closes on Escape, on a press elsewhere, when the focus goes elsewhere, and when the value scrolls away. */
function useDismissal(card: RefObject<HTMLElement | null>, onEscape: () => void, onElsewhere: () => void): void {
  const latest = useRef({ onEscape, onElsewhere });
  latest.current = { onEscape, onElsewhere };
  // Before the card is painted: Escape must close it, and not what is below it, from the moment when it is visible.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      latest.current.onEscape();
    };
    const onOther = (event: Event): void => {
      if (event.target instanceof Node && !card.current?.contains(event.target)) latest.current.onElsewhere();
    };
    const closing = new AbortController();
    const options = { capture: true, signal: closing.signal };
    addEventListener('keydown', onKey, options);
    for (const name of ['pointerdown', 'focusin', 'scroll']) addEventListener(name, onOther, options);
    return () => closing.abort();
  }, [card]);
}

const titles: Record<Explanation['kind'], string> = {
  link: 'Link',
  time: 'Time',
  base64: 'Base64',
  jwt: 'JSON Web Token',
};

const units = { s: 'Seconds since 1970', ms: 'Milliseconds since 1970', text: 'RFC 3339' } as const;

function Explained({ explanation }: { explanation: Explanation }) {
  switch (explanation.kind) {
    case 'link':
      return (
        <>
          <p>
            <SafeLink url={explanation.url}>{visibleText(explanation.url)}</SafeLink>
          </p>
          <p class="faint">Opens in a new tab, at {new URL(explanation.url).host}.</p>
        </>
      );
    case 'time':
      return (
        <dl>
          <Fact name="Local">{formatExactTime(explanation.at)}</Fact>
          <Fact name="UTC">{new Date(explanation.at).toISOString()}</Fact>
          <Fact name="Relative">{formatDistance(explanation.at, Date.now())}</Fact>
          <Fact name="Written as">{units[explanation.unit]}</Fact>
        </dl>
      );
    case 'base64':
      return <Base64Details {...explanation} />;
    case 'jwt':
      return <TokenDetails {...explanation} />;
  }
}

const Fact = ({ name, children }: { name: string; children: string }) => (
  <>
    <dt class="soft">{name}</dt>
    <dd class="figures">{children}</dd>
  </>
);

/** @param url of `safeUrl` */
export const SafeLink = ({ url, ...rest }: { url: string; children: ComponentChildren; tabIndex?: number }) => (
  <a href={url} target="_blank" rel="noopener noreferrer" {...rest} />
);

function Base64Details({ bytes, text, type }: Extract<Explanation, { kind: 'base64' }>) {
  return (
    <>
      <p class="faint">
        {formatBytes(bytes.length)} {text === undefined ? (type ?? 'of binary data') : 'of text'}
      </p>
      {text !== undefined && (
        <>
          <pre class="code">{preview(text)}</pre>
          <CopyButton kind="quiet" label="Copy decoded text" text={text} />
        </>
      )}
    </>
  );
}

const meanings: Record<string, string> = { iat: 'Issued at', nbf: 'Not valid before', exp: 'Expires at' };

function TokenDetails({ header, claims, times }: Extract<Explanation, { kind: 'jwt' }>) {
  const now = Date.now();
  return (
    <>
      <p class="faint">Decoded only; the token's signature is not checked.</p>
      {times.length > 0 && (
        <dl>
          {times.map(({ name, at }) => (
            <Fact key={name} name={`${meanings[name]} (${name})`}>
              {`${formatExactTime(at)}, ${formatDistance(at, now)}${name === 'exp' && at < now ? ': expired' : ''}`}
            </Fact>
          ))}
        </dl>
      )}
      <span>Header</span>
      <pre class="code">{preview(header)}</pre>
      <span>Claims</span>
      <pre class="code">{preview(claims)}</pre>
      <CopyButton kind="quiet" label="Copy claims" text={claims} />
    </>
  );
}

/** JSON is indented; long text is cut, because the whole of it can be copied. */
function preview(text: string): string {
  const json = /^\s*[[{]/.test(text) && text.length <= maxShownCharacters ? prettyText(text) : undefined;
  return visibleText(cut(json ?? text, maxShownCharacters));
}

const distanceUnits: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 365.25 * 86_400_000],
  ['month', 30.4 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `3 hours ago`, `in 5 minutes`, `6 years ago`. */
function formatDistance(at: number, now: number): string {
  const [unit, ms] = distanceUnits.find(([, unitMs]) => Math.abs(at - now) >= unitMs) ?? (['second', 1000] as const);
  return new Intl.RelativeTimeFormat('en').format(Math.trunc((at - now) / ms), unit);
}
