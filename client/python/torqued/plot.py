"""Pictures of torques, by matplotlib, to a file."""
import numpy as np


def plot_torques(path, time, torques, joint_names, limits=None, title="Joint torques"):
    """Writes a picture (format by the file's ending): one panel per joint, torque [Nm] over time [s], with the limit
    where there is one. torques: (samples, joints); limits: joints, NaN or None where unknown."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    torques = np.asarray(torques, dtype=float)
    count = torques.shape[1]
    figure, panels = plt.subplots(count, 1, sharex=True, figsize=(7, 1.6 * count + 0.8), squeeze=False)
    for i, panel in enumerate(panels[:, 0]):
        panel.plot(time, torques[:, i], linewidth=1.2)
        panel.set_ylabel(joint_names[i], fontsize=8)
        panel.grid(alpha=0.3)
        if limits is not None and limits[i] is not None and np.isfinite(limits[i]):
            for sign in (-1, 1):
                panel.axhline(sign * limits[i], color="tab:red", linestyle="--", linewidth=0.8)
    panels[0, 0].set_title(title)
    panels[-1, 0].set_xlabel("time [s]")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
