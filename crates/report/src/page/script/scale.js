// From values to places on an axis.

/** @typedef {{at: (value: number) => number, ticks: number[], low: number, high: number}} Axis */

/**
 * @param {number} low
 * @param {number} high
 * @param {[number, number]} places
 * @param {number} count of ticks, about
 * @returns {Axis}
 */
export function linear(low, high, [from, to], count = 5) {
  if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
  const step = roundStep((high - low) / count);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) {
    ticks.push(Number(tick.toPrecision(12)));
  }
  return { low, high, ticks, at: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

/**
 * @param {number} low above 0
 * @param {number} high
 * @param {[number, number]} places
 * @param {number[]} [wanted] ticks, where they are known
 * @returns {Axis}
 */
export function logarithmic(low, high, [from, to], wanted) {
  if (!(high > low)) [low, high] = [low / 2, low * 2];
  const [first, last] = [Math.log10(low), Math.log10(high)];
  const every = Math.max(1, Math.ceil((Math.floor(last) - Math.ceil(first)) / 5));
  const decades = [];
  for (let power = Math.ceil(first - 1e-9); power <= last + 1e-9; power += every) decades.push(10 ** power);
  const ticks = wanted ?? (decades.length > 1 ? decades : [low, high]);
  return { low, high, ticks, at: (value) => from + ((Math.log10(value) - first) / (last - first)) * (to - from) };
}

/** 1, 2 or 5 times a power of ten. @param {number} size */
function roundStep(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  const share = size / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}
