// Values of features at a moment, from the changes that led there.

/** @param {Track} track */
export function momentsOf(track) {
  return track.changes.length + 1;
}

/** The values at a moment. @param {Track} track @param {number} moment @returns {(number | null)[]} */
export function valuesAt(track, moment) {
  const values = [...track.first];
  for (const changes of track.changes.slice(0, moment)) {
    for (const [index, value] of changes) values[index] = value;
  }
  return values;
}

/** The places whose values came at a moment. @param {Track} track @param {number} moment @returns {Set<number>} */
export function changedAt(track, moment) {
  if (moment > 0) return new Set((track.changes[moment - 1] ?? []).map(([index]) => index));
  // At the first, what is not as it is before anything happens.
  const resting = (/** @type {number | null} */ value, /** @type {number} */ index) => (track.quantity === "pointer" ? value === index : value === 0);
  return new Set(track.first.flatMap((value, index) => (resting(value, index) ? [] : [index])));
}

/** Whether a value is another than it should be. @param {Track} track @param {number | null} value @param {number | null} truth */
export function isWrong(track, value, truth) {
  if (value === null || truth === null) return value !== truth;
  if (track.quantity !== "scalar") return value !== truth;
  return Math.abs(value - truth) > 0.05 + 0.05 * Math.abs(truth);
}

/** A value in words. @param {Track} track @param {number | null | undefined} value */
export function valueWords(track, value) {
  if (value === null || value === undefined) return "–";
  if (track.quantity === "mask" && track.place === "graph") return value ? "on" : "off";
  if (track.quantity === "mask") return value ? "yes" : "·";
  return track.quantity === "scalar" ? String(Number(value.toPrecision(3))) : String(value);
}
