// The positions of pages in a long column of which only a few are rendered.

/** Heights and offsets of many pages; pages that were not rendered yet have an estimated height. */
export class PageHeights {
  constructor() {
    this.count = 0;
    this.heights = new Float64Array(0);
    this.tops = new Float64Array(1);
    this.measured = new Uint8Array(0);
    this.dirty = false;
  }

  /** Start again with so many pages of estimated heights. @param {number} count @param {(index: number) => number} estimate */
  reset(count, estimate) {
    this.count = count;
    this.heights = Float64Array.from({ length: count }, (_, index) => estimate(index));
    this.measured = new Uint8Array(count);
    this.tops = new Float64Array(count + 1);
    this.dirty = true;
  }

  /** Estimate again, and keep what was measured. @param {number} count @param {(index: number) => number} estimate */
  extend(count, estimate) {
    const { heights, measured } = this;
    this.reset(count, estimate);
    for (let index = 0; index < Math.min(count, measured.length); index += 1) {
      if (measured[index]) this.measure(index, heights[index]);
    }
  }

  /** Set the measured height of a page; returns the difference from the height before. @param {number} index @param {number} height */
  measure(index, height) {
    const difference = height - this.heights[index];
    this.heights[index] = height;
    this.measured[index] = 1;
    if (difference) this.dirty = true;
    return difference;
  }

  /** The average of the measured heights, or what is given while there are none. @param {number} otherwise */
  average(otherwise) {
    let sum = 0;
    let known = 0;
    for (let index = 0; index < this.count; index += 1) {
      if (!this.measured[index]) continue;
      sum += this.heights[index];
      known += 1;
    }
    return known ? sum / known : otherwise;
  }

  /** Where a page begins. @param {number} index */
  top(index) {
    this.refresh();
    return this.tops[Math.max(0, Math.min(index, this.count))];
  }

  get total() {
    return this.top(this.count);
  }

  /** The page at a height, and how far down in it. @param {number} y */
  at(y) {
    this.refresh();
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    const height = this.heights[low] || 1;
    return { index: low, fraction: Math.max(0, Math.min(1, (y - this.tops[low]) / height)) };
  }

  refresh() {
    if (!this.dirty) return;
    for (let index = 0; index < this.count; index += 1) {
      this.tops[index + 1] = this.tops[index] + this.heights[index];
    }
    this.dirty = false;
  }
}
