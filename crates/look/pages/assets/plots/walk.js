// The mark to which a key leads. Left and right go through all marks, up and down to the next series or line.
const walk = (plot, key) => {
  const groups = new Map();
  plot.layers.forEach(({ marks, isOff }, index) => {
    for (const mark of isOff ? [] : marks) {
      const group = mark.reach ? `${index} ${mark.y}` : index;
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(mark);
    }
  });
  const all = [...groups.values()].map((group) => group.sort((a, b) => a.x - b.x || a.y - b.y));
  const height = (group) => group.reduce((sum, { y }) => sum + y, 0) / group.length;
  if (!plot.y.hasNumbers) all.sort((a, b) => height(a) - height(b));
  const marks = all.flat();
  const { current } = plot;
  const place = all.findIndex((group) => group.includes(current));
  if (place < 0) return marks[0];
  const far = Math.max(10, Math.round(all[place].length / 10));
  const along = (by) => marks[clamp(marks.indexOf(current) + by, 0, marks.length - 1)];
  const beside = (by) => {
    const distance = (mark) => Math.abs(mark.x - current.x);
    const other = all[clamp(place + by, 0, all.length - 1)];
    return other.reduce((best, mark) => distance(mark) < distance(best) ? mark : best);
  };
  switch (key) {
    case "ArrowRight": return along(1);
    case "ArrowLeft": return along(-1);
    case "PageDown": return along(far);
    case "PageUp": return along(-far);
    case "ArrowDown": return beside(1);
    case "ArrowUp": return beside(-1);
    case "Home": return all[place][0];
    default: return all[place].at(-1);
  }
};
