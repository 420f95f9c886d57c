/* Asking the server, and sending answers so that none is lost and none is written twice. */

const WAITS = [500, 1000, 2000, 4000, 8000];
const PATIENCE = 20000;
/* Busy, too many, or still starting: the same again may work. */
const AGAIN = new Set([429, 502, 503, 504]);

/* The server understood and said no; trying again would not help. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/* Not crypto.randomUUID, which only exists where the address is a safe one. */
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const waiting = (time) => new Promise((go) => setTimeout(go, time));

async function once(path, options) {
  const response = await fetch(path, { ...options, signal: AbortSignal.timeout(PATIENCE) });
  if (AGAIN.has(response.status)) throw new Error("busy");
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const message = response.status === 401
    ? "The server does not know this window any more. Open the address that pulink explore printed."
    : body?.error?.message ?? `The server answered ${response.status}.`;
  throw new Refused(response.status, message);
}

/* Until the server answers; what is sent carries a key, so that sending it again writes nothing twice. */
export async function patiently(path, options, onWait = () => {}) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await once(path, options);
    } catch (error) {
      if (error instanceof Refused) throw error;
      onWait(tries + 1);
      await waiting(WAITS[Math.min(tries, WAITS.length - 1)]);
    }
  }
}

export function getJson(path, onWait) {
  return patiently(path, { headers: { Accept: "application/json" } }, onWait);
}

export function send(path, body, onWait) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  return patiently(path, { method: "POST", headers, body: JSON.stringify(body) }, onWait);
}

/* A page of this server, to take parts from. */
export async function page(path) {
  const response = await fetch(path, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Refused(response.status, `The server answered ${response.status}.`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
